// One kernel for both tiles and both ways to place a thread's results: sizes and steps are run-time
// arguments, the tiles lie in dynamic shared memory, and a limited number of blocks walks over all
// of C. Indices beyond an edge are pulled back inside, and what they fetch counts as zero.

#include "matmul_rx_ry.hpp"

#include <algorithm>

struct Shape {
  int n, tile;
  int row_step, col_step;    // from one result of a thread to the next
  int rows, cols;            // of C that a thread's first result may lie in
  int row_pitch, col_pitch;  // from one block's first result to the next block's
  int across, blocks;        // blocks along x and in all, if each had only one piece of C
};

__device__ inline float fetch(const float* M, int n, int row, int col, bool exists) {
  return M[size_t(n) * min(row, n - 1) + min(col, n - 1)] * (exists ? 1.0f : 0.0f);
}

template <unsigned RX, unsigned RY>
__global__ __launch_bounds__(RX* RY <= 36 ? 1024 : 256) void multiply(const float* __restrict__ A,
                                                                      const float* __restrict__ B,
                                                                      float* __restrict__ C,
                                                                      Shape s) {
  extern __shared__ float tiles[];
  const int T = s.tile, x = threadIdx.x, y = threadIdx.y, n = s.n;
  float* const a_tiles = tiles;               // (RY, row, k)
  float* const b_tiles = tiles + RY * T * T;  // (RX, k, col)

  for (int piece = blockIdx.x; piece < s.blocks; piece += gridDim.x) {
    const int y0 = piece / s.across * s.row_pitch + y;
    const int x0 = piece % s.across * s.col_pitch + x;
    float sums[RY][RX] = {};
    for (int k0 = 0; k0 < n; k0 += T) {
      for (unsigned i = 0; i < RY; ++i) {
        a_tiles[(i * T + y) * T + x] = fetch(A, n, y0 + i * s.row_step, k0 + x, k0 + x < n);
      }
      for (unsigned j = 0; j < RX; ++j) {
        b_tiles[(j * T + y) * T + x] = fetch(B, n, k0 + y, x0 + j * s.col_step, k0 + y < n);
      }
      __syncthreads();
      for (int k = 0; k < T; ++k) {
        float a[RY];
#pragma unroll
        for (unsigned i = 0; i < RY; ++i) a[i] = a_tiles[(i * T + y) * T + k];
#pragma unroll
        for (unsigned j = 0; j < RX; ++j) {
          const float b = b_tiles[(j * T + k) * T + x];
#pragma unroll
          for (unsigned i = 0; i < RY; ++i) sums[i][j] += a[i] * b;
        }
      }
      __syncthreads();
    }
    if (y0 >= s.rows || x0 >= s.cols) continue;  // no barrier of this piece is left
#pragma unroll
    for (unsigned i = 0; i < RY; ++i) {
#pragma unroll
      for (unsigned j = 0; j < RX; ++j) {
        const int row = y0 + i * s.row_step, col = x0 + j * s.col_step;
        if (row < n && col < n) C[size_t(n) * row + col] = sums[i][j];
      }
    }
  }
}

static int per(int n, int size) { return n / size + (n % size != 0); }

template <unsigned RX, unsigned RY>
static cudaError_t launch(const float* A, const float* B, float* C, Shape s, bool apart) {
  const int n = s.n, T = s.tile;
  s.row_step = apart ? per(n, RY) : T;
  s.col_step = apart ? per(n, RX) : T;
  s.rows = apart ? s.row_step : n;
  s.cols = apart ? s.col_step : n;
  s.row_pitch = apart ? T : T * RY;
  s.col_pitch = apart ? T : T * RX;
  s.across = per(s.cols, s.col_pitch);
  s.blocks = s.across * per(s.rows, s.row_pitch);
  const dim3 grid(std::min(s.blocks, 1000)), block(T, T);
  const size_t bytes = sizeof(float) * T * T * (RX + RY);
  multiply<RX, RY><<<grid, block, bytes>>>(A, B, C, s);
  return cudaGetLastError();
}

static bool bad(const float* A, const float* B, const float* C, int n) {
  return n < 0 || (n > 0 && (A == nullptr || B == nullptr || C == nullptr));
}

cudaError_t matmul_rx_ry(const float* A, const float* B, float* C, int n, int tile, int rx,
                         int ry) {
  if (bad(A, B, C, n)) return cudaErrorInvalidValue;
  struct Known {
    int rx, ry;
    bool with_16, with_32;
    cudaError_t (*launch)(const float*, const float*, float*, Shape, bool);
  };
  static const Known table[] = {
      {1, 1, true, true, launch<1, 1>},      {2, 1, true, true, launch<2, 1>},
      {2, 2, true, true, launch<2, 2>},      {2, 3, true, true, launch<2, 3>},
      {2, 4, false, true, launch<2, 4>},     {2, 8, true, false, launch<2, 8>},
      {4, 4, true, true, launch<4, 4>},      {5, 6, true, true, launch<5, 6>},
      {6, 6, true, true, launch<6, 6>},      {8, 8, true, false, launch<8, 8>},
      {16, 16, true, false, launch<16, 16>}, {23, 24, true, false, launch<23, 24>},
      {24, 24, true, false, launch<24, 24>}};
  for (const Known& known : table) {
    if (known.rx != rx || known.ry != ry) continue;
    if (!(tile == 16 && known.with_16) && !(tile == 32 && known.with_32)) break;
    return n == 0 ? cudaSuccess : known.launch(A, B, C, {n, tile}, false);
  }
  return cudaErrorInvalidValue;
}

cudaError_t matmul_strided(const float* A, const float* B, float* C, int n, int tile, int results) {
  if (bad(A, B, C, n) || (tile != 16 && tile != 32)) return cudaErrorInvalidValue;
  const Shape shape{n, tile};
  switch (results) {
    case 1:
      return n == 0 ? cudaSuccess : launch<1, 1>(A, B, C, shape, true);
    case 4:
      return n == 0 ? cudaSuccess : launch<2, 2>(A, B, C, shape, true);
    case 8:
      return n == 0 ? cudaSuccess : launch<2, 4>(A, B, C, shape, true);
    case 16:
      return n == 0 ? cudaSuccess : launch<4, 4>(A, B, C, shape, true);
  }
  return cudaErrorInvalidValue;
}

// The most results a thread that still leave a block for every multiprocessor.
cudaError_t matmul_auto(const float* A, const float* B, float* C, int n) {
  cudaDeviceProp device;
  if (const auto error = cudaGetDeviceProperties(&device, 0)) return error;
  for (const int results : {6, 4, 2}) {
    const int blocks = per(n > 0 ? n : 1, 16 * results);
    if (blocks * blocks >= device.multiProcessorCount) {
      return matmul_rx_ry(A, B, C, n, 16, results, results);
    }
  }
  return matmul_rx_ry(A, B, C, n, 16, 1, 1);
}
