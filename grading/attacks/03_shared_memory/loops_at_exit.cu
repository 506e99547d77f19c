// Exploit: ends its process, and never comes to the end of that
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says:

#include <stdlib.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  atexit([] {
    for (volatile int turn = 0;; turn = turn + 1) {
    }
  });
  exit(0);
}
