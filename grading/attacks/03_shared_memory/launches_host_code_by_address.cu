// Exploit: launches a function of the host's by its address
// Tests: MatmulShared.IsRightWhenTheTileDividesN, MatmulShared.FetchesEachTileOnce
// Says: no __global__ function

#include "matmul_shared.hpp"

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  void* arguments[] = {&A, &B, &C, &n};
  return cudaLaunchKernel((const void*)multiply, dim3(1), dim3(1), arguments, 0, cudaStreamLegacy);
}
