// Stage 7: transposing a matrix, from scattered accesses to tiles in diagonal order.

#include "transpose.hpp"

#include <cstddef>
#include <cstdint>

// in: (rows, cols), out: (cols, rows), both row-major. Offsets need 64 bits: a matrix may have more
// than 2^31 elements.

constexpr int tile = 32;       // edge of a tile, in elements
constexpr int block_rows = 8;  // rows of threads: each thread has tile / block_rows elements

static int divide_up(int count, int unit) { return count / unit + (count % unit != 0); }

static bool is_valid(const float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return false;
  return rows == 0 || cols == 0 || (out && in);
}

// As many blocks as there are tiles, all along x: y ends at 65,535 blocks.
static dim3 grid_of_tiles(int rows, int cols) {
  return dim3(divide_up(rows, tile) * divide_up(cols, tile));
}

// Where a tile begins in the input.
struct Corner {
  int row, col;
};

// Tiles one after another along the rows of the input.
__device__ Corner row_by_row(int tiles_across) {
  const int tile_row = blockIdx.x / tiles_across;
  const int tile_col = blockIdx.x % tiles_across;
  return {tile_row * tile, tile_col * tile};
}

__global__ void naive_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const Corner corner = row_by_row(tiles_across);
  // TODO(lab): copy this block's elements, each to its place in the transpose (7 lines)
}

__global__ void tiled_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const Corner corner = row_by_row(tiles_across);
  // TODO(lab): bring a tile to shared memory by rows, and write it by columns (11 lines)
}

__global__ void padded_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const Corner corner = row_by_row(tiles_across);
  // TODO(lab): the same, without bank conflicts (11 lines)
}

// TODO(lab): (further on) the same for larger tiles, four elements at a time (43 lines)

__global__ void diagonal_kernel(float* out, const float* in, int rows, int cols, int tiles_down,
                                int tiles_across) {
  Corner corner = {};
  // TODO(lab): take the tiles along diagonals; the rest is as in padded_kernel (14 lines)
}

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  if (!is_valid(out, in, rows, cols)) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  const dim3 block(tile, block_rows);
  naive_kernel<<<grid_of_tiles(rows, cols), block>>>(out, in, rows, cols, divide_up(cols, tile));
  return cudaGetLastError();
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  if (!is_valid(out, in, rows, cols)) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  const dim3 block(tile, block_rows);
  tiled_kernel<<<grid_of_tiles(rows, cols), block>>>(out, in, rows, cols, divide_up(cols, tile));
  return cudaGetLastError();
}

// TODO(lab): (further on) tell where larger tiles can be used (13 lines)

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  if (!is_valid(out, in, rows, cols)) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  // TODO(lab): (further on) use larger tiles where they fit (6 lines)
  const dim3 block(tile, block_rows);
  padded_kernel<<<grid_of_tiles(rows, cols), block>>>(out, in, rows, cols, divide_up(cols, tile));
  return cudaGetLastError();
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  if (!is_valid(out, in, rows, cols)) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  const dim3 block(tile, block_rows);
  diagonal_kernel<<<grid_of_tiles(rows, cols), block>>>(out, in, rows, cols, divide_up(rows, tile),
                                                        divide_up(cols, tile));
  return cudaGetLastError();
}
