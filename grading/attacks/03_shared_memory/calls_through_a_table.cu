// Exploit: loads by functions of the host, from a table that the host fills
// Says: through a pointer

#include <wchar.h>

#include "matmul_shared.hpp"

using Copy = wchar_t* (*)(wchar_t*, const wchar_t*, size_t);

__device__ float load(Copy copy, const float* from) {
  float value;
  copy(reinterpret_cast<wchar_t*>(&value), reinterpret_cast<const wchar_t*>(from), 1);
  return value;
}

__device__ Copy table[2];

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += load(table[k & 1], &A[row * n + k]) * load(table[0], &B[k * n + col]);
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  const Copy copies[] = {wmemcpy, wmemmove};
  cudaMemcpyToSymbol(table, copies, sizeof copies);
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
