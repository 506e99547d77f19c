// A fixed number of blocks takes tiles of C by a ticket in device memory; what does not change
// during a launch is in constant memory.

#include "matmul_shared.hpp"

#include <cstddef>

struct Product {
  const float *A, *B;
  float* C;
  int n, tiles;  // tiles: along a side
};

__constant__ Product product;
static __device__ int next_tile;

template <int Tile>
__global__ void take_tiles() {
  __shared__ float As[Tile][Tile], Bs[Tile][Tile];  // (row, k), (k, col)
  __shared__ int taken;
  const int tx = threadIdx.x, ty = threadIdx.y, n = product.n;
  for (;;) {
    if (tx == 0 && ty == 0) taken = atomicAdd(&next_tile, 1);
    __syncthreads();
    if (taken >= product.tiles * product.tiles) return;
    const int row = taken / product.tiles * Tile + ty, col = taken % product.tiles * Tile + tx;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += Tile) {
      As[ty][tx] = row < n && k0 + tx < n ? product.A[std::size_t(row) * n + k0 + tx] : 0;
      Bs[ty][tx] = k0 + ty < n && col < n ? product.B[std::size_t(k0 + ty) * n + col] : 0;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < Tile; ++k) sum += As[ty][k] * Bs[k][tx];
      __syncthreads();
    }
    if (row < n && col < n) product.C[std::size_t(row) * n + col] = sum;
  }
}

template <int Tile>
static cudaError_t launch(const float* A, const float* B, float* C, int n) {
  const int tiles = (n + Tile - 1) / Tile;
  const Product wanted{A, B, C, n, tiles};
  const int first = 0;
  cudaMemcpyToSymbol(product, &wanted, sizeof wanted);
  cudaMemcpyToSymbol(next_tile, &first, sizeof first);
  take_tiles<Tile><<<min(256, tiles * tiles), dim3(Tile, Tile)>>>();
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (n > 0 && (!A || !B || !C))) return cudaErrorInvalidValue;
  if (tile != 8 && tile != 16 && tile != 22 && tile != 32) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  switch (tile) {
    case 8:
      return launch<8>(A, B, C, n);
    case 16:
      return launch<16>(A, B, C, n);
    case 22:
      return launch<22>(A, B, C, n);
    default:
      return launch<32>(A, B, C, n);
  }
}
