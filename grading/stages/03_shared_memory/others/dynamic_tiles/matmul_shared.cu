// One kernel for all tile sizes: the tiles lie one behind the other in dynamic shared memory.

#include "matmul_shared.hpp"

#include <cstddef>

extern __shared__ float tiles[];  // (2, tile, tile)

__device__ float at(const float* matrix, int row, int col, int n) {
  if (row >= n) return 0.0f;
  if (col >= n) return 0.0f;
  return matrix[std::size_t(row) * n + col];
}

__global__ void multiply(const float* A, const float* B, float* C, int n) {
  const int tile = blockDim.x;
  float* const As = tiles;
  float* const Bs = tiles + tile * tile;
  const int here = threadIdx.y * tile + threadIdx.x;
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;

  float sum = 0.0f;
  const int steps = (n + tile - 1) / tile;
  for (int step = 0; step != steps; ++step) {
    if (step > 0) __syncthreads();  // the same for all threads of a block
    As[here] = at(A, row, step * tile + threadIdx.x, n);
    Bs[here] = at(B, step * tile + threadIdx.y, col, n);
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += As[threadIdx.y * tile + k] * Bs[k * tile + threadIdx.x];
  }
  if (row < n && col < n) C[std::size_t(row) * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 22 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const unsigned count = (n + tile - 1) / tile;
  multiply<<<{count, count}, {unsigned(tile), unsigned(tile)}, 2 * sizeof(float) * tile * tile>>>(
      A, B, C, n);
  return cudaGetLastError();
}
