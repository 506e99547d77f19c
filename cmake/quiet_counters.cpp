// Every program of a build that counts coverage is linked with this file. A worker may not write
// files, so gcov's run-time cannot write its counts there. It prints messages about that, which
// would be taken for output of the program.
#include <cstdlib>

[[gnu::constructor]] static void keep_counters_quiet() {
  setenv("GCOV_ERROR_FILE", "/dev/null", 0);
}
