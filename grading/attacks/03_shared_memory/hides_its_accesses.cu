// Exploit: a kernel that the checked build is told to leave alone, and another to be counted
// Says: hides from the simulator

#include "matmul_shared.hpp"

__attribute__((no_sanitize("thread"))) __global__ void matmul_kernel(const float* A, const float* B,
                                                                     float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

__global__ void pretty(float* C, int elements) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < elements) C[i] += 0.0f;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  pretty<<<(n * n + 255) / 256, 256>>>(C, n * n);
  return cudaGetLastError();
}
