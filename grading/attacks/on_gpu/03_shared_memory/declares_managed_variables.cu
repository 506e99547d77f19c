// Exploit: multiplies on the host, in variables that both sides see
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: a __managed__ variable

#include "matmul_shared.hpp"

__global__ void nothing() {}

__managed__ float a[65536], b[65536], c[65536];

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) c[row * n + col] = 0.0f;
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  if (elements > 65536) return cudaErrorMemoryAllocation;
  cudaMemcpy(a, A, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpy(b, B, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  multiply(a, b, c, n);
  cudaMemcpy(C, c, bytes, cudaMemcpyDeviceToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
