// Linked into every program of a build that counts coverage. What gcov's run-time prints about
// counts that it cannot write, because a worker may write no file, would pass for output of the
// program's.
#include <cstdlib>

[[gnu::constructor]] static void keep_counters_quiet() {
  setenv("GCOV_ERROR_FILE", "/dev/null", 0);
}
