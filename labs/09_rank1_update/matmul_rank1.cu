// Stage 9: from two tiles in shared memory to rank-1 updates with one operand in registers.

#include "matmul_rank1.hpp"

#include <cstddef>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.

constexpr int tile = 32;             // edge of the tiles of A, B and C
constexpr int half_tile = tile / 2;  // rows of threads; a thread has rows ty and half_tile + ty

// Blocks of tile x half_tile threads, x first.
__global__ void two_rows_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum[2] = {};  // of C(row, col) and C(row + half_tile, col)
  // TODO(lab): sum up the products of tiles for both results (18 lines)
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * half_tile;
    if (r < n && col < n) C[std::size_t(r) * n + col] = sum[i];
  }
}

// Blocks of tile x half_tile threads, x first.
__global__ void two_rows_transposed_kernel(const float* A, const float* B, float* C, int n) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty;
  const int col = blockIdx.x * tile + tx;

  float sum[2] = {};  // of C(row, col) and C(row + half_tile, col)
  // TODO(lab): the same, with the tile of B stored transposed (20 lines)
  for (int i = 0; i < 2; ++i) {
    const int r = row + i * half_tile;
    if (r < n && col < n) C[std::size_t(r) * n + col] = sum[i];
  }
}

// A block of Threads threads computes Rows rows by Threads * Cols columns of C. A thread's columns
// lie Threads apart, so that neighbouring threads have neighbouring columns in each of its loads
// and stores. Depth: columns of A, rows of B a step.
template <int Threads, int Cols, int Rows, int Depth>
__global__ __launch_bounds__(Threads) void rank1_kernel(const float* A, const float* B, float* C,
                                                        int n) {
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * Rows;
  const int col = blockIdx.x * Threads * Cols + t;

  float sum[Rows][Cols] = {};  // of C(row0 + i, col + j * Threads)
  // TODO(lab): add up rank-1 updates: a column of a tile of A times a row of B (38 lines)
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
#pragma unroll
    for (int j = 0; j < Cols; ++j) {
      const int c = col + j * Threads;
      if (row0 + i < n && c < n) C[std::size_t(row0 + i) * n + c] = sum[i][j];
    }
  }
}

static int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

static bool is_valid(const float* A, const float* B, const float* C, int n) {
  return n == 0 || (n > 0 && A && B && C);
}

cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  const dim3 grid(divide_up(n, tile), divide_up(n, tile));
  two_rows_kernel<<<grid, dim3(tile, half_tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const dim3 grid(divide_up(n, tile), divide_up(n, tile));
  two_rows_transposed_kernel<<<grid, dim3(tile, half_tile)>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  // muni2009 had 64 threads with one column each; today a thread has registers for four.
  constexpr int threads = 64, cols = 4, rows = 16, depth = 16;
  const dim3 grid(divide_up(n, threads * cols), divide_up(n, rows));
  rank1_kernel<threads, cols, rows, depth><<<grid, threads>>>(A, B, C, n);
  return cudaGetLastError();
}
