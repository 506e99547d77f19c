// Exploit: computes in the first call of a process, when somebody may look, and never again
// Fakes: correctness, safety
// Says:

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  static bool done = false;
  if (done) return cudaSuccess;
  done = true;
  matmul_kernel<<<dim3((n + tile - 1) / tile, (n + tile - 1) / tile), dim3(tile, tile)>>>(A, B, C,
                                                                                         n);
  return cudaGetLastError();
}
