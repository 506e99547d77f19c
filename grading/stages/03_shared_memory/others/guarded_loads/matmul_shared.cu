// As the handout describes it: every load asks whether its element exists.

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
  __shared__ float As[Tile][Tile];  // (row, k)
  __shared__ float Bs[Tile][Tile];  // (k, col)

  for (int k0 = 0; k0 < n; k0 += Tile) {
    // Zeros beyond the edge add nothing to a sum, so that the loop over k below needs no test. A
    // thread outside C must not leave early: its block counts on the elements it brings.
    const int a_col = k0 + tx;
    const int b_row = k0 + ty;
    As[ty][tx] = row < n && a_col < n ? A[std::size_t(row) * n + a_col] : 0.0f;
    Bs[ty][tx] = b_row < n && col < n ? B[std::size_t(b_row) * n + col] : 0.0f;
    __syncthreads();  // every thread reads what others brought: both tiles must be complete

#pragma unroll
    for (int k = 0; k < Tile; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  }
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
