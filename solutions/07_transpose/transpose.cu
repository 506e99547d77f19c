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
  // lab: begin copy this block's elements, each to its place in the transpose
  // Neighbouring threads read neighbouring elements, and write elements a whole row apart.
  const int col = corner.col + threadIdx.x;
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + i;
    if (row < rows && col < cols) {
      out[std::size_t(col) * rows + row] = in[std::size_t(row) * cols + col];
    }
  }
  // lab: end
}

__global__ void tiled_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const Corner corner = row_by_row(tiles_across);
  // lab: begin bring a tile to shared memory by rows, and write it by columns
  __shared__ float elements[tile][tile];  // (row, col) of the input
  const int tx = threadIdx.x;             // along a row of whichever matrix is accessed
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + i, col = corner.col + tx;
    if (row < rows && col < cols) elements[i][tx] = in[std::size_t(row) * cols + col];
  }
  __syncthreads();  // a thread writes what others have read
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + tx, col = corner.col + i;
    if (row < rows && col < cols) out[std::size_t(col) * rows + row] = elements[tx][i];
  }
  // lab: end
}

__global__ void padded_kernel(float* out, const float* in, int rows, int cols, int tiles_across) {
  const Corner corner = row_by_row(tiles_across);
  // lab: begin the same, without bank conflicts
  __shared__ float elements[tile][tile + 1];  // (row, col); an odd row length: a column of a tile
                                              // has each of its elements in another bank
  const int tx = threadIdx.x;
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + i, col = corner.col + tx;
    if (row < rows && col < cols) elements[i][tx] = in[std::size_t(row) * cols + col];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + tx, col = corner.col + i;
    if (row < rows && col < cols) out[std::size_t(col) * rows + row] = elements[tx][i];
  }
  // lab: end
}

// lab: begin (further on) the same for larger tiles, four elements at a time
// The same for whole tiles of 64 x 64 elements, four at a time: fewer and longer accesses, and more
// of them under way. Rows and columns must be multiples of 64, and the matrices begin at a multiple
// of 16 bytes.
constexpr int wide_tile = 64;
constexpr int wide_threads = 256;

__global__ __launch_bounds__(wide_threads) void padded_wide_kernel(float* out, const float* in,
                                                                   int rows, int cols,
                                                                   int tiles_down) {
  // Down the columns of tiles: what is written together then lies together, and memory takes longer
  // over stores that are scattered than over loads.
  const int row0 = blockIdx.x % tiles_down * wide_tile;
  const int col0 = blockIdx.x / tiles_down * wide_tile;
  __shared__ float elements[wide_tile][wide_tile + 1];

  // A warp takes 4 rows of 8 threads. Each thread's four elements go to shared memory one by one:
  // with a row length of 65, banks 4 * x + y are all different.
  constexpr int lanes = 8, lane_rows = wide_threads / lanes;
  const int x = threadIdx.x % lanes;
  const int y = threadIdx.x / lanes;

  float4 quads[wide_tile / lane_rows][wide_tile / (4 * lanes)];
#pragma unroll
  for (int i = 0; i < wide_tile / lane_rows; ++i) {
#pragma unroll
    for (int j = 0; j < wide_tile / (4 * lanes); ++j) {
      const int row = row0 + i * lane_rows + y, col = col0 + (j * lanes + x) * 4;
      quads[i][j] = *reinterpret_cast<const float4*>(in + std::size_t(row) * cols + col);
    }
  }
#pragma unroll
  for (int i = 0; i < wide_tile / lane_rows; ++i) {
#pragma unroll
    for (int j = 0; j < wide_tile / (4 * lanes); ++j) {
      float* const row = &elements[i * lane_rows + y][(j * lanes + x) * 4];
      row[0] = quads[i][j].x;
      row[1] = quads[i][j].y;
      row[2] = quads[i][j].z;
      row[3] = quads[i][j].w;
    }
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < wide_tile / lane_rows; ++i) {
#pragma unroll
    for (int j = 0; j < wide_tile / (4 * lanes); ++j) {
      const int r = (j * lanes + x) * 4, c = i * lane_rows + y;  // in the tile
      const float4 quad =
          make_float4(elements[r][c], elements[r + 1][c], elements[r + 2][c], elements[r + 3][c]);
      *reinterpret_cast<float4*>(out + std::size_t(col0 + c) * rows + row0 + r) = quad;
    }
  }
}
// lab: end

__global__ void diagonal_kernel(float* out, const float* in, int rows, int cols, int tiles_down,
                                int tiles_across) {
  Corner corner = {};
  // lab: begin take the tiles along diagonals; the rest is as in padded_kernel
  // Neighbouring blocks go down a row of tiles and right a column of tiles: they differ in both, in
  // the input and in the output. After tiles_down blocks the next diagonal begins.
  const int tile_row = blockIdx.x % tiles_down;
  const int tile_col = (blockIdx.x / tiles_down + tile_row) % tiles_across;
  corner = {tile_row * tile, tile_col * tile};

  __shared__ float elements[tile][tile + 1];
  const int tx = threadIdx.x;
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + i, col = corner.col + tx;
    if (row < rows && col < cols) elements[i][tx] = in[std::size_t(row) * cols + col];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += block_rows) {
    const int row = corner.row + tx, col = corner.col + i;
    if (row < rows && col < cols) out[std::size_t(col) * rows + row] = elements[tx][i];
  }
  // lab: end
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

// lab: begin (further on) tell where larger tiles can be used
// Whether padded_wide_kernel can do it here: cards of compute capability 1 lack the shared memory.
static bool fits_wide_tiles(const float* out, const float* in, int rows, int cols) {
  if (rows % wide_tile != 0 || cols % wide_tile != 0) return false;
  const auto addresses =
      reinterpret_cast<std::uintptr_t>(out) | reinterpret_cast<std::uintptr_t>(in);
  if (addresses % sizeof(float4) != 0) return false;
  int device = 0, shared_bytes = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlock, device) !=
      cudaSuccess) {
    return false;
  }
  return shared_bytes >= int(sizeof(float[wide_tile][wide_tile + 1]));
}
// lab: end

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  if (!is_valid(out, in, rows, cols)) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  // lab: begin (further on) use larger tiles where they fit
  if (fits_wide_tiles(out, in, rows, cols)) {
    const int tiles_down = rows / wide_tile, tiles_across = cols / wide_tile;
    padded_wide_kernel<<<tiles_down * tiles_across, wide_threads>>>(out, in, rows, cols,
                                                                    tiles_down);
    return cudaGetLastError();
  }
  // lab: end
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
