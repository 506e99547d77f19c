// Exploit: a kernel that never ends
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says:

#include "matmul_shared.hpp"

__global__ void wait_for_ever(volatile float* C) {
  while (C[0] != 0.0f) {
  }
}

cudaError_t matmul_shared(const float*, const float*, float* C, int, int) {
  wait_for_ever<<<1, 1>>>(C);
  return cudaGetLastError();
}
