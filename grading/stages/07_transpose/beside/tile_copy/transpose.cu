// A copy by way of tiles in shared memory that are not turned: all that the tiled transpose does,
// but for the bank conflicts (muni2009). Nothing is transposed.
#include "transpose.hpp"

#include <cstddef>

constexpr int tile = 32, block_rows = 8;

__global__ void copy_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const int row0 = blockIdx.x / tiles_across * tile;
  const int col0 = blockIdx.x % tiles_across * tile;
  __shared__ float elements[tile][tile];  // (row, col)
  const int tx = threadIdx.x, col = col0 + tx;
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = row0 + i;
    if (row < rows && col < cols) elements[i][tx] = in[std::size_t(row) * cols + col];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = row0 + i;
    if (row < rows && col < cols) out[std::size_t(row) * cols + col] = elements[i][tx];
  }
}

static cudaError_t copy(float* out, const float* in, int rows, int cols) {
  const int tiles_across = (cols + tile - 1) / tile, tiles_down = (rows + tile - 1) / tile;
  copy_kernel<<<tiles_across * tiles_down, dim3(tile, block_rows)>>>(out, in, rows, cols,
                                                                     tiles_across);
  return cudaGetLastError();
}

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  return copy(out, in, rows, cols);
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  return copy(out, in, rows, cols);
}

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  return copy(out, in, rows, cols);
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  return copy(out, in, rows, cols);
}
