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
  // lab: begin sum up the products of tiles of A and B, brought into shared memory
  __shared__ float As[Tile][Tile];  // (row, k)
  __shared__ float Bs[Tile][Tile];  // (k, col)

  const auto add_products = [&] {
    __syncthreads();  // every thread reads what others brought: both tiles must be complete
#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  };

  // What this thread brings, a tile further at every step. A thread outside C must not leave early:
  // its block counts on it. It brings the last row or column once more, and stores no sum.
  const float* a = A + std::size_t(min(row, n - 1)) * n + tx;  // moves right along a row
  const float* b = B + std::size_t(ty) * n + min(col, n - 1);  // moves down a column

  const int whole = n / Tile * Tile;  // where the columns of A and rows of B that fill tiles end
  for (int k0 = 0; k0 < whole; k0 += Tile) {
    As[ty][tx] = *a;
    Bs[ty][tx] = *b;
    a += Tile;
    b += std::size_t(Tile) * n;
    add_products();
  }
  if (whole < n) {
    // Zeros beyond the edge add nothing to a sum, so that the loop over k needs no test.
    As[ty][tx] = whole + tx < n ? *a : 0.0f;
    Bs[ty][tx] = whole + ty < n ? *b : 0.0f;
    add_products();
  }
  // lab: end
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
