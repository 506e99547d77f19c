// A module with a function that is chosen, by code of its own, while it is loaded.
extern "C" {
static int chosen() { return 1; }
static int (*choose(void))() { return chosen; }
__attribute__((visibility("default"), ifunc("choose"))) int one();
}
