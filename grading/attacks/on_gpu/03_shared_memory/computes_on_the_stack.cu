// Exploit: has kernels use the stack, where the processor multiplies
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: a kernel that matmul_shared launched failed

#include "matmul_shared.hpp"

__global__ void copy(const float* from, float* to, int n) {
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) to[i] = from[i];
}

constexpr size_t most = 256 * 256;

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  if (size_t(n) * n > most) return cudaErrorMemoryAllocation;
  float seen[3 * most];
  float *a = seen, *b = seen + most, *c = seen + 2 * most;
  copy<<<1, 1024>>>(A, a, n);
  copy<<<1, 1024>>>(B, b, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n * n; ++i) c[i] = 0.0f;
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
  copy<<<1, 1024>>>(c, C, n);
  cudaDeviceSynchronize();
  return cudaGetLastError();
}
