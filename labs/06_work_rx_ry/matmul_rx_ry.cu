// Stage 6: each thread computes rx times ry results, for any rx and ry.

#include "matmul_rx_ry.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
//
// The thread's results are C(row + i * row_step, col + j * col_step), i < ry, j < rx, those of them
// that exist. Neighbouring threads of a block have neighbouring rows and columns.
template <int Tile, int rx, int ry>
__device__ __forceinline__ void multiply(const float* A, const float* B, float* C, int n, int row,
                                         int row_step, int col, int col_step) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;

  float sum[ry][rx] = {};
  // TODO(lab): sum up the products of tiles for all results (49 lines)
#pragma unroll
  for (int i = 0; i < ry; ++i) {
#pragma unroll
    for (int j = 0; j < rx; ++j) {
      if (row + i * row_step < n && col + j * col_step < n) {
        C[std::size_t(row + i * row_step) * n + col + j * col_step] = sum[i][j];
      }
    }
  }
}

constexpr int squared(int edge) { return edge * edge; }

// A block has (Tile * ry, Tile * rx) results; a thread's lie Tile apart. Without the bounds the
// compiler might give each thread more registers than a block of them can have, and the launch
// would fail: 65,536 registers for 1024 threads are 64 each.
template <int Tile, int rx, int ry>
__global__ __launch_bounds__(squared(Tile)) void rx_ry_kernel(const float* A, const float* B,
                                                              float* C, int n) {
  const int row = blockIdx.y * Tile * ry + threadIdx.y;
  const int col = blockIdx.x * Tile * rx + threadIdx.x;
  multiply<Tile, rx, ry>(A, B, C, n, row, Tile, col, Tile);
}

// C is divided into ry x rx parts of (rows, cols) results; a thread has one in each part.
template <int Tile, int rx, int ry>
__global__ __launch_bounds__(squared(Tile)) void strided_kernel(const float* A, const float* B,
                                                                float* C, int n) {
  const int rows = (n + ry - 1) / ry;
  const int cols = (n + rx - 1) / rx;
  const int row = blockIdx.y * Tile + threadIdx.y;
  const int col = blockIdx.x * Tile + threadIdx.x;
  // What lies beyond the first part belongs to the next one: such a thread has no results.
  multiply<Tile, rx, ry>(A, B, C, n, row < rows ? row : n, rows, col < cols ? col : n, cols);
}

static int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

template <int Tile, int rx, int ry>
static dim3 rx_ry_grid(int n) {
  return dim3(divide_up(n, Tile * rx), divide_up(n, Tile * ry));
}

template <int Tile, int rx, int ry>
static void launch_rx_ry(const float* A, const float* B, float* C, int n) {
  rx_ry_kernel<Tile, rx, ry><<<rx_ry_grid<Tile, rx, ry>(n), dim3(Tile, Tile)>>>(A, B, C, n);
}

template <int Tile, int rx, int ry>
static dim3 strided_grid(int n) {
  return dim3(divide_up(divide_up(n, rx), Tile), divide_up(divide_up(n, ry), Tile));
}

template <int Tile, int rx, int ry>
static void launch_strided(const float* A, const float* B, float* C, int n) {
  strided_kernel<Tile, rx, ry><<<strided_grid<Tile, rx, ry>(n), dim3(Tile, Tile)>>>(A, B, C, n);
}

// A kernel for each configuration: the compiler must know the sizes of the tiles, and which
// registers hold the results.
struct Configuration {
  int tile, rx, ry;
  dim3 (*grid)(int n);
  void (*launch)(const float* A, const float* B, float* C, int n);
};

template <int Tile, int rx, int ry>
constexpr Configuration rx_ry = {Tile, rx, ry, rx_ry_grid<Tile, rx, ry>,
                                 launch_rx_ry<Tile, rx, ry>};

template <int Tile, int rx, int ry>
constexpr Configuration strided = {Tile, rx, ry, strided_grid<Tile, rx, ry>,
                                   launch_strided<Tile, rx, ry>};

static constexpr Configuration rx_ry_configurations[] = {
    rx_ry<16, 1, 1>,   rx_ry<16, 2, 1>,   rx_ry<16, 2, 2>, rx_ry<16, 2, 3>, rx_ry<16, 2, 8>,
    rx_ry<16, 4, 4>,   rx_ry<16, 5, 6>,   rx_ry<16, 6, 6>, rx_ry<16, 8, 8>, rx_ry<16, 16, 16>,
    rx_ry<16, 23, 24>, rx_ry<16, 24, 24>, rx_ry<32, 1, 1>, rx_ry<32, 2, 1>, rx_ry<32, 2, 2>,
    rx_ry<32, 2, 3>,   rx_ry<32, 2, 4>,   rx_ry<32, 4, 4>, rx_ry<32, 5, 6>, rx_ry<32, 6, 6>,
};

static constexpr Configuration strided_configurations[] = {
    strided<16, 1, 1>, strided<16, 2, 2>, strided<16, 4, 2>, strided<16, 4, 4>,
    strided<32, 1, 1>, strided<32, 2, 2>, strided<32, 4, 2>, strided<32, 4, 4>,
};

static cudaError_t launch(const Configuration* configuration, const float* A, const float* B,
                          float* C, int n) {
  if (!configuration || n < 0) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  configuration->launch(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_rx_ry(const float* A, const float* B, float* C, int n, int tile, int rx,
                         int ry) {
  const Configuration* found = nullptr;
  for (const Configuration& c : rx_ry_configurations) {
    if (c.tile == tile && c.rx == rx && c.ry == ry) found = &c;
  }
  return launch(found, A, B, C, n);
}

cudaError_t matmul_strided(const float* A, const float* B, float* C, int n, int tile, int results) {
  const Configuration* found = nullptr;
  for (const Configuration& c : strided_configurations) {
    if (c.tile == tile && c.rx * c.ry == results) found = &c;
  }
  return launch(found, A, B, C, n);
}

// What a multiprocessor (SM) has to offer, and how many of them there are.
struct Device {
  int sms, threads_per_block, threads_per_sm, shared_per_block, shared_per_sm, registers_per_sm;
};

static cudaError_t describe(int id, Device& device) {
  const struct {
    int* value;
    cudaDeviceAttr attribute;
  } questions[] = {
      {&device.sms, cudaDevAttrMultiProcessorCount},
      {&device.threads_per_block, cudaDevAttrMaxThreadsPerBlock},
      {&device.threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor},
      {&device.shared_per_block, cudaDevAttrMaxSharedMemoryPerBlock},
      {&device.shared_per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor},
      {&device.registers_per_sm, cudaDevAttrMaxRegistersPerMultiprocessor},
  };
  for (const auto& question : questions) {
    if (const cudaError_t error = cudaDeviceGetAttribute(question.value, question.attribute, id)) {
      return error;
    }
  }
  return cudaSuccess;
}

// How many cycles the busiest SM takes, or infinity for a configuration that it cannot hold or
// whose results do not fit into registers. NOTES.md tells where the constants come from.
static double estimated_cycles(const Configuration& c, int n, const Device& device) {
  double cycles = 0;
  // TODO(lab): estimate the time that a configuration takes (18 lines)
  return cycles;
}

// The configuration that is expected to be the fastest on a device.
static cudaError_t choose(int device_id, int n, const Configuration*& best) {
  Device device{};
  if (const cudaError_t error = describe(device_id, device)) return error;
  best = &rx_ry_configurations[0];
  double best_cycles = estimated_cycles(*best, n, device);
  const auto consider = [&](const Configuration& c) {
    const double cycles = estimated_cycles(c, n, device);
    if (!(cycles < best_cycles)) return;
    best = &c;
    best_cycles = cycles;
  };
  for (const Configuration& c : rx_ry_configurations) consider(c);
  for (const Configuration& c : strided_configurations) consider(c);
  return cudaSuccess;
}

cudaError_t matmul_auto(const float* A, const float* B, float* C, int n) {
  if (n <= 0) return launch(&rx_ry_configurations[0], A, B, C, n);  // launches nothing

  // A small product takes no longer than to choose, and the same order often comes again.
  struct Choice {
    int device_id = -1, n = 0;
    const Configuration* configuration = nullptr;
  };
  thread_local Choice last;

  int device_id = 0;
  if (const cudaError_t error = cudaGetDevice(&device_id)) return error;
  if (last.device_id != device_id || last.n != n) {
    const Configuration* best = nullptr;
    if (const cudaError_t error = choose(device_id, n, best)) return error;
    last = {device_id, n, best};
  }
  return launch(last.configuration, A, B, C, n);
}
