// Few blocks that walk over many tiles, dynamic shared memory, and a naive kernel that scatters its
// loads rather than its stores.
// The last of its blocks leave most of a GTX 1080 idle:
// Slow: TransposePadded.ReachesMinimumBandwidth
// Slow: TransposeDiagonal.ReachesMinimumBandwidth
// Gpu: gtx280
#include "transpose.hpp"

#include <algorithm>
#include <cstddef>

constexpr long long side = 32;
constexpr unsigned most_blocks = 24;

enum class Order { rows, columns, diagonals };

struct Tiles {
  long long down, across;

  __host__ __device__ long long count() const { return down * across; }

  __device__ void find(long long number, Order order, long long& tile_row,
                       long long& tile_col) const {
    if (order == Order::rows) {
      tile_row = number / across;
      tile_col = number % across;
    } else {
      tile_row = number % down;
      tile_col = number / down;
    }
    if (order == Order::diagonals) tile_col = (tile_col + across - tile_row % across) % across;
  }
};

__global__ void scattered_loads(float* out, const float* in, int rows, int cols) {
  const long long elements = (long long)(rows)*cols;
  const long long step = (long long)(gridDim.x) * blockDim.x;
  for (long long i = (long long)(blockIdx.x) * blockDim.x + threadIdx.x; i < elements; i += step) {
    const long long col = i / rows, row = i % rows;
    out[i] = in[row * cols + col];
  }
}

__global__ void walk(float* out, const float* in, int rows, int cols, Tiles tiles, Order order,
                     int pitch) {
  extern __shared__ float buffer[];
  for (long long t = blockIdx.x; t < tiles.count(); t += gridDim.x) {
    long long tile_row, tile_col;
    tiles.find(t, order, tile_row, tile_col);
    const int height = int(min(side, rows - tile_row * side));
    const int width = int(min(side, cols - tile_col * side));
    const float* const from = in + tile_row * side * cols + tile_col * side;
    float* const to = out + tile_col * side * rows + tile_row * side;
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
      if (int(threadIdx.x) < width) {
        buffer[threadIdx.x * pitch + y] = from[std::size_t(y) * cols + threadIdx.x];
      }
    }
    __syncthreads();
    for (int y = threadIdx.y; y < width; y += blockDim.y) {
      if (int(threadIdx.x) < height) {
        to[std::size_t(y) * rows + threadIdx.x] = buffer[y * pitch + threadIdx.x];
      }
    }
    __syncthreads();
  }
}

static cudaError_t transpose(float* out, const float* in, int rows, int cols, Order order,
                             int pitch) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!out || !in) return cudaErrorInvalidValue;
  const Tiles tiles = {(rows + side - 1) / side, (cols + side - 1) / side};
  const auto blocks = unsigned(std::min<long long>(tiles.count(), most_blocks));
  if (pitch == 0) {
    scattered_loads<<<blocks, 192>>>(out, in, rows, cols);
  } else {
    walk<<<blocks, dim3(unsigned(side), 4), side * pitch * sizeof(float)>>>(out, in, rows, cols,
                                                                            tiles, order, pitch);
  }
  return cudaGetLastError();
}

cudaError_t transpose_naive(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, Order::rows, 0);
}

cudaError_t transpose_tiled(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, Order::rows, int(side));
}

cudaError_t transpose_padded(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, Order::columns, int(side) + 1);
}

cudaError_t transpose_diagonal(float* out, const float* in, int rows, int cols) {
  return transpose(out, in, rows, cols, Order::diagonals, int(side) + 1);
}
