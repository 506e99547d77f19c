// Stage 3 at its smallest: tiles of 2 x 2, as textbooks draw them. Orders that 2 divides.

#include "matmul_shared.hpp"

constexpr int tile = 2;

// A, B, C: (n, n)
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float As[tile][tile];  // (row, k)
  __shared__ float Bs[tile][tile];  // (k, col)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += tile) {
    As[ty][tx] = A[row * n + k0 + tx];
    Bs[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  matmul_kernel<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
