// No padding: the columns of a tile are permuted, another way in each row. Blocks are one
// dimension, and whole tiles are loaded four elements at a time.
// Compilers: all
#include "transpose.hpp"

#include <cstddef>
#include <cstdint>

constexpr int side = 32;
constexpr int threads = 256;

template <bool Permuted>
__device__ int place(int row, int col) {
  return row * side + (Permuted ? col ^ row : col);
}

__global__ void one_by_one(float* out, const float* in, unsigned rows, unsigned cols) {
  const std::size_t i = std::size_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= std::size_t(rows) * cols) return;
  out[i % cols * rows + i / cols] = in[i];
}

template <bool Permuted, bool Diagonal>
__global__ void by_tiles(float* out, const float* in, int rows, int cols) {
  __shared__ float tile[side * side];
  const int down = (rows - 1) / side + 1, across = (cols - 1) / side + 1;
  int y = blockIdx.x / across, x = blockIdx.x % across;
  if (Diagonal) y = int((std::int64_t(y) + x) % down);
  const int row0 = y * side, col0 = x * side;
  const bool whole = row0 + side <= rows && col0 + side <= cols;

  if (whole && cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(in) % 16 == 0) {
    const int row = threadIdx.x / (side / 4), col = threadIdx.x % (side / 4) * 4;
    const float4 four =
        *reinterpret_cast<const float4*>(&in[std::size_t(row0 + row) * cols + col0 + col]);
    tile[place<Permuted>(row, col)] = four.x;
    tile[place<Permuted>(row, col + 1)] = four.y;
    tile[place<Permuted>(row, col + 2)] = four.z;
    tile[place<Permuted>(row, col + 3)] = four.w;
  } else {
    for (int i = threadIdx.x; i < side * side; i += threads) {
      const int row = i / side, col = i % side;
      if (row0 + row >= rows || col0 + col >= cols) continue;
      tile[place<Permuted>(row, col)] = in[std::size_t(row0 + row) * cols + col0 + col];
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < side * side; i += threads) {
    const int row = i % side, col = i / side;
    if (row0 + row >= rows || col0 + col >= cols) continue;
    out[std::size_t(col0 + col) * rows + row0 + row] = tile[place<Permuted>(row, col)];
  }
}

static cudaError_t check(const float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  const bool empty = rows == 0 || cols == 0;
  return empty || (out != nullptr && in != nullptr) ? cudaSuccess : cudaErrorInvalidValue;
}

static unsigned tiles(int rows, int cols) {
  return unsigned((rows - 1) / side + 1) * unsigned((cols - 1) / side + 1);
}

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  const cudaError_t status = check(out, in, rows, cols);
  if (status != cudaSuccess || rows == 0 || cols == 0) return status;
  const std::size_t blocks = (std::size_t(rows) * cols + threads - 1) / threads;
  one_by_one<<<unsigned(blocks), threads>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  const cudaError_t status = check(out, in, rows, cols);
  if (status != cudaSuccess || rows == 0 || cols == 0) return status;
  by_tiles<false, false><<<tiles(rows, cols), threads>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  const cudaError_t status = check(out, in, rows, cols);
  if (status != cudaSuccess || rows == 0 || cols == 0) return status;
  by_tiles<true, false><<<tiles(rows, cols), threads>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  const cudaError_t status = check(out, in, rows, cols);
  if (status != cudaSuccess || rows == 0 || cols == 0) return status;
  by_tiles<true, true><<<tiles(rows, cols), threads>>>(out, in, rows, cols);
  return cudaGetLastError();
}
