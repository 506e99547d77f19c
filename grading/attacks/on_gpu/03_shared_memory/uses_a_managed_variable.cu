// Exploit: multiplies on the host, in a variable that both sides see
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says:

#include "matmul_shared.hpp"

constexpr int most = 256 * 256;
__managed__ float seen[3 * most];

__global__ void copy_in(const float* A, const float* B, int n) {
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) {
    seen[i] = A[i];
    seen[most + i] = B[i];
  }
}

__global__ void copy_out(float* C, int n) {
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) C[i] = seen[2 * most + i];
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  copy_in<<<1, 1024>>>(A, B, n);
  cudaDeviceSynchronize();
  float* const c = seen + 2 * most;
  for (int i = 0; i < n * n; ++i) c[i] = 0.0f;
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) {
        c[row * n + col] += seen[row * n + k] * seen[most + k * n + col];
      }
    }
  }
  copy_out<<<1, 1024>>>(C, n);
  cudaDeviceSynchronize();
  return cudaGetLastError();
}
