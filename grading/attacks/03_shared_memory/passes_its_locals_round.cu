// Exploit: keeps a tile among the local variables of one thread, whose address all others get
// Fakes: safety, memory, performance
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses, MatmulShared.FetchesEachTileOnce
// Says: a local variable of another thread

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n, int tile) {
  __shared__ float *tile_of_A, *tile_of_B;
  float own_A[32 * 32], own_B[32 * 32];
  const int tx = threadIdx.x, ty = threadIdx.y, at = ty * tile + tx;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  if (at == 0) {
    tile_of_A = own_A;
    tile_of_B = own_B;
  }
  __syncthreads();
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += tile) {
    tile_of_A[at] = row < n && k0 + tx < n ? A[row * n + k0 + tx] : 0.0f;
    tile_of_B[at] = col < n && k0 + ty < n ? B[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tile_of_A[ty * tile + k] * tile_of_B[k * tile + tx];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  matmul_kernel<<<grid, block>>>(A, B, C, n, tile);
  return cudaGetLastError();
}
