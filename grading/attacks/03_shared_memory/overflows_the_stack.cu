// Exploit: a function that calls itself until the stack is full
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.FetchesEachTileOnce
// Says:

#include "matmul_shared.hpp"

static int deeper(volatile int* caller) {
  volatile int here[1024];
  here[0] = *caller + 1;
  return deeper(here) + here[0];
}

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  volatile int first = 0;
  return deeper(&first) == 0 ? cudaErrorInvalidValue : cudaSuccess;
}
