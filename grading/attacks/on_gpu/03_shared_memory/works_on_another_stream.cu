// Exploit: hides a slow kernel from the timer on a stream that waits for no other
// Fakes: performance
// Tests: MatmulShared.ReachesMinimumGflops
// Says: GFLOPS at n = 4096

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  // Down the columns, which is slow.
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[size_t(row) * n + k] * B[size_t(k) * n + col];
  C[size_t(row) * n + col] = sum;
}

static dim3 grid_of(int n, int tile) {
  const int blocks = (n + tile - 1) / tile;
  return dim3(blocks, blocks);
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (n > 0) matmul_kernel<<<grid_of(n, tile), dim3(tile, tile), 0, stream>>>(A, B, C, n);
  return cudaGetLastError();
}
