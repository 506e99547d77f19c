// Exploit: brings A and B into constant memory, which no GPU has so much of
// Fakes: memory, safety, performance
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses, MatmulShared.FetchesEachTileOnce
// Says: the __constant__ variables of this file take

#include "matmul_shared.hpp"

constexpr int most = 1024 * 1024;
__constant__ float all_of_A[most], all_of_B[most];

__global__ void matmul_kernel(float* C, int n) {
  __shared__ float for_show;
  if (threadIdx.x + threadIdx.y == 0) for_show = 0.0f;
  __syncthreads();
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (for_show != 0.0f) return;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += all_of_A[row * n + k] * all_of_B[k * n + col];
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  cudaMemcpyToSymbol(all_of_A, A, sizeof(float) * n * n, 0, cudaMemcpyDeviceToDevice);
  cudaMemcpyToSymbol(all_of_B, B, sizeof(float) * n * n, 0, cudaMemcpyDeviceToDevice);
  const dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  matmul_kernel<<<grid, block>>>(C, n);
  return cudaGetLastError();
}
