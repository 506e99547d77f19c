// Exploit: launches a function of the host's, which is no kernel
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
  void (*kernel)(const float*, const float*, float*, int) = multiply;
  kernel<<<1, 1>>>(A, B, C, n);
  return cudaGetLastError();
}
