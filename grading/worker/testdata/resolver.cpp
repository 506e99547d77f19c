// A module with a function that the module's own code chooses while it is loaded (ifunc).
extern "C" {
static int chosen() { return 1; }
static int (*choose(void))() { return chosen; }
__attribute__((visibility("default"), ifunc("choose"))) int one();
}
