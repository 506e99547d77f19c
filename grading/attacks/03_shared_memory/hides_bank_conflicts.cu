// Exploit: takes elements of a tile, all of one bank, by additions of nothing
// Fakes: memory
// Tests: MatmulShared.KeepsItsThreadsInDifferentBanks
// Says: are bank conflicts

#include "matmul_shared.hpp"

template <int Tile>
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float As[Tile][Tile], Bt[Tile][Tile];  // (row, k), (col, k)
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, col = blockIdx.x * Tile + tx;
  float sum = 0.0f;
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[ty][tx] = row < n && k0 + tx < n ? A[row * n + k0 + tx] : 0.0f;
    atomicExch(&Bt[tx][ty], col < n && k0 + ty < n ? B[(k0 + ty) * n + col] : 0.0f);
    __syncthreads();
    for (int k = 0; k < Tile; ++k) sum += As[ty][k] * atomicAdd(&Bt[tx][k], 0.0f);
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}

template <int Tile>
cudaError_t launch(const float* A, const float* B, float* C, int n) {
  if (n == 0) return cudaSuccess;
  const dim3 block(Tile, Tile), grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  matmul_kernel<Tile><<<grid, block>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  switch (tile) {
    case 8:
      return launch<8>(A, B, C, n);
    case 16:
      return launch<16>(A, B, C, n);
    case 22:
      return launch<22>(A, B, C, n);
    case 32:
      return launch<32>(A, B, C, n);
    default:
      return cudaErrorInvalidValue;
  }
}
