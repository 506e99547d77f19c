#include "common/simt/validation/transposes.hpp"

namespace tilewise::simt {
namespace {

constexpr int tile = 32;       // rows and columns that a block turns around
constexpr int block_rows = 8;  // each thread moves tile / block_rows elements

/// in: (rows, cols), out: (cols, rows)
__global__ void naive_kernel(float* out, const float* in, int rows, int cols) {
  const int col = blockIdx.x * tile + threadIdx.x;
  const int first_row = blockIdx.y * tile + threadIdx.y;
  for (int step = 0; step < tile; step += block_rows) {
    const int row = first_row + step;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}

/// Turns around the tile at (tile_row, tile_col), in tiles, of in.
/// turned: shared, (tile, Pitch)
template <int Pitch>
__device__ void transpose_tile(float (*turned)[Pitch], float* out, const float* in, int rows,
                               int cols, int tile_row, int tile_col) {
  const int col = tile_col * tile + threadIdx.x;
  const int first_row = tile_row * tile + threadIdx.y;
  for (int step = 0; step < tile; step += block_rows) {
    const int row = first_row + step;
    if (row < rows && col < cols) turned[threadIdx.y + step][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();

  const int out_col = tile_row * tile + threadIdx.x;
  const int first_out_row = tile_col * tile + threadIdx.y;
  for (int step = 0; step < tile; step += block_rows) {
    const int out_row = first_out_row + step;
    if (out_row < cols && out_col < rows) {
      out[out_row * rows + out_col] = turned[threadIdx.x][threadIdx.y + step];
    }
  }
}

template <int Pitch>
__global__ void tiled_kernel(float* out, const float* in, int rows, int cols) {
  __shared__ float turned[tile][Pitch];
  transpose_tile(turned, out, in, rows, cols, blockIdx.y, blockIdx.x);
}

__global__ void diagonal_kernel(float* out, const float* in, int rows, int cols) {
  __shared__ float turned[tile][tile + 1];
  // Blocks are started in the order of their numbers; number them along diagonals of the matrix.
  const int number = blockIdx.y * gridDim.x + blockIdx.x;
  const int tile_row = number % gridDim.y;
  const int tile_col = (number / gridDim.y + tile_row) % gridDim.x;
  transpose_tile(turned, out, in, rows, cols, tile_row, tile_col);
}

dim3 grid_for(int rows, int cols) {
  return dim3((cols + tile - 1) / tile, (rows + tile - 1) / tile);
}

constexpr dim3 block{tile, block_rows};

}  // namespace

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  naive_kernel<<<grid_for(rows, cols), block>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  tiled_kernel<tile><<<grid_for(rows, cols), block>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  tiled_kernel<tile + 1><<<grid_for(rows, cols), block>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  diagonal_kernel<<<grid_for(rows, cols), block>>>(out, in, rows, cols);
  return cudaGetLastError();
}

}  // namespace tilewise::simt
