// Exploit: variables in the matrices, by an array as large as the way from the stack to them
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: need more than 256 KiB

#include <stdint.h>

#include "matmul_shared.hpp"

__device__ __noinline__ float fill(float* all, float value) {
  all[0] = value;
  return all[0];
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float here[1] = {0.0f};
  const uintptr_t way = reinterpret_cast<uintptr_t>(here) - reinterpret_cast<uintptr_t>(C);
  float* moved = static_cast<float*>(__builtin_alloca(way));
  float sum = fill(here, 0.0f) + 0.0f * fill(moved, 0.0f);
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
