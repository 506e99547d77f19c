// Stage 3: each block of a grid brings A and B into shared memory tile by tile.

#include "matmul_shared.hpp"

#include <cstddef>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
template <int Tile>
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  float sum = 0.0f;
  // TODO(lab): sum up the products of tiles of A and B, brought into shared memory (25 lines)
  if (row < n && col < n) {
    C[std::size_t(row) * n + col] = sum;
  }
}

template <int Tile>
static cudaError_t launch(const float* A, const float* B, float* C, int n) {
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  const dim3 block(Tile, Tile);
  const dim3 grid((n + Tile - 1) / Tile, (n + Tile - 1) / Tile);
  matmul_kernel<Tile><<<grid, block>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;

  // The compiler must know the size of a tile to lay it out and to unroll its loop.
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
