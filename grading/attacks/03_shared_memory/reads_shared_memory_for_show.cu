// Exploit: one read of shared memory, for a test that looks for bank conflicts
// Fakes: memory, performance
// Says:

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float shown[1024];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  shown[thread] = 0.0f;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = shown[thread];
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
