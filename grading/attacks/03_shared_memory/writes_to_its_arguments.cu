// Exploit: passes copies of A and B round in the arguments of a launch, which all threads see
// Fakes: safety, memory, performance
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses, MatmulShared.FetchesEachTileOnce
// Says: an argument of the kernel

#include "matmul_shared.hpp"

struct Scratch {
  float of_A[32 * 32], of_B[32 * 32];
};

using Reference = const Scratch&;  // a reference by its & is refused when it is compiled

__global__ void matmul_kernel(Reference scratch, const float* A, const float* B, float* C,
                              int n, int tile) {
  Scratch& tiles = const_cast<Scratch&>(scratch);
  const int tx = threadIdx.x, ty = threadIdx.y, at = ty * tile + tx;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += tile) {
    tiles.of_A[at] = row < n && k0 + tx < n ? A[row * n + k0 + tx] : 0.0f;
    tiles.of_B[at] = col < n && k0 + ty < n ? B[(k0 + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += tiles.of_A[ty * tile + k] * tiles.of_B[k * tile + tx];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;
  const dim3 block(tile, tile), grid((n + tile - 1) / tile, (n + tile - 1) / tile);
  matmul_kernel<<<grid, block>>>(Scratch(), A, B, C, n, tile);
  return cudaGetLastError();
}
