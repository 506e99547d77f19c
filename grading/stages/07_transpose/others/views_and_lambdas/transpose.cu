// Matrices as views, loops over a tile as lambdas, tiles of 64 x 32 that are two tiles of the
// diagonal order high, and loads beyond the edge that fetch the last element once more.
// Gpu: gtx280
#include "transpose.hpp"

#include <cstddef>

template <typename T>
struct View {
  T* elements;
  int rows, cols;

  __device__ bool holds(int row, int col) const { return row < rows && col < cols; }

  __device__ T& at(int row, int col) const { return elements[std::size_t(row) * cols + col]; }
};

template <int Height, int Width, int Padding>
struct Tile {
  float values[Height][Width + Padding];
};

template <int Height, int Width, typename Body>
__device__ void for_each_element(Body body) {
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < Height * Width;
       i += blockDim.x * blockDim.y) {
    body(i / Width, i % Width);
  }
}

template <int Height, int Width, int Padding>
__device__ void move(View<float> to, View<const float> from, int row0, int col0) {
  __shared__ Tile<Height, Width, Padding> tile;
  for_each_element<Height, Width>([&](int row, int col) {
    tile.values[row][col] = from.at(min(row0 + row, from.rows - 1), min(col0 + col, from.cols - 1));
  });
  __syncthreads();
  for_each_element<Width, Height>([&](int row, int col) {
    if (to.holds(col0 + row, row0 + col)) {
      to.at(col0 + row, row0 + col) = tile.values[col][row];
    }
  });
}

constexpr int high = 64, wide = 32;

__global__ void each_for_itself(View<float> to, View<const float> from, int tiles_across) {
  const int row0 = blockIdx.x / tiles_across * high, col0 = blockIdx.x % tiles_across * wide;
  for_each_element<wide, high>([&](int col, int row) {
    if (from.holds(row0 + row, col0 + col)) {
      to.at(col0 + col, row0 + row) = from.at(row0 + row, col0 + col);
    }
  });
}

template <int Padding>
__global__ void along_rows(View<float> to, View<const float> from, int tiles_across) {
  move<high, wide, Padding>(to, from, blockIdx.x / tiles_across * high,
                            blockIdx.x % tiles_across * wide);
}

__global__ void along_diagonals(View<float> to, View<const float> from, int tiles_down,
                                int tiles_across) {
  // The one of both numbers that runs round is the shorter side's.
  const int longer = max(tiles_down, tiles_across), shorter = min(tiles_down, tiles_across);
  const int along = blockIdx.x % longer;
  const int beside = (along % shorter + blockIdx.x / longer) % shorter;
  const bool is_high = tiles_down >= tiles_across;
  move<high, wide, 1>(to, from, (is_high ? along : beside) * high,
                      (is_high ? beside : along) * wide);
}

template <typename Launch>
static cudaError_t transpose(float* out, const float* in, int rows, int cols, Launch launch) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!out || !in) return cudaErrorInvalidValue;
  launch(View<float>{out, cols, rows}, View<const float>{in, rows, cols}, (rows - 1) / high + 1,
         (cols - 1) / wide + 1);
  return cudaGetLastError();
}

static const dim3 block(64, 4);

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, [](auto to, auto from, int down, int across) {
    each_for_itself<<<down * across, block>>>(to, from, across);
  });
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, [](auto to, auto from, int down, int across) {
    along_rows<0><<<down * across, block>>>(to, from, across);
  });
}

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, [](auto to, auto from, int down, int across) {
    along_rows<1><<<down * across, block>>>(to, from, across);
  });
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, [](auto to, auto from, int down, int across) {
    along_diagonals<<<down * across, block>>>(to, from, down, across);
  });
}
