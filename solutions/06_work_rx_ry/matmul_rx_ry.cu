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
  // lab: begin sum up the products of tiles for all results
  static_assert(Tile * Tile * (rx + ry) * sizeof(float) <= 48 * 1024, "no room in shared memory");
  __shared__ float As[ry][Tile][Tile];  // (i, row, k)
  __shared__ float Bs[rx][Tile][Tile];  // (j, k, col)

  // The next elements of this thread's rows of A and columns of B, on their way to the tiles. A
  // pointer to each of them would take two registers: addresses are computed anew instead, and
  // edges are asked for once a step where there are none.
  float next_a[ry], next_b[rx];
  const bool inside = row + (ry - 1) * row_step < n && col + (rx - 1) * col_step < n;
  const auto fetch = [&](int k0) {
    const float* a = A + std::size_t(row) * n + k0 + tx;
    const float* b = B + std::size_t(k0 + ty) * n + col;
    if (inside && k0 + Tile <= n) {
#pragma unroll
      for (int i = 0; i < ry; ++i) next_a[i] = a[std::size_t(i) * row_step * n];
#pragma unroll
      for (int j = 0; j < rx; ++j) next_b[j] = b[j * col_step];
    } else {
      // Zeros beyond the edge add nothing to a sum, so that the loop over k needs no test.
#pragma unroll
      for (int i = 0; i < ry; ++i) {
        const bool exists = row + i * row_step < n && k0 + tx < n;
        next_a[i] = exists ? a[std::size_t(i) * row_step * n] : 0.0f;
      }
#pragma unroll
      for (int j = 0; j < rx; ++j) {
        const bool exists = k0 + ty < n && col + j * col_step < n;
        next_b[j] = exists ? b[j * col_step] : 0.0f;
      }
    }
  };

  // Written out in full, Tile * rx * ry multiply-adds make the fastest loop, as long as the results
  // fit into registers; with more of them nvcc gives up and keeps nearly all in memory.
  constexpr int unrolled = rx * ry <= 64 ? Tile : 1;

  fetch(0);
  for (int k0 = 0; k0 < n; k0 += Tile) {
#pragma unroll
    for (int i = 0; i < ry; ++i) As[i][ty][tx] = next_a[i];
#pragma unroll
    for (int j = 0; j < rx; ++j) Bs[j][ty][tx] = next_b[j];
    __syncthreads();  // every thread reads what others brought: the tiles must be complete
    if (k0 + Tile < n) fetch(k0 + Tile);  // travels while the loop below runs
#pragma unroll unrolled
    for (int k = 0; k < Tile; ++k) {
      float b_k[rx];
#pragma unroll
      for (int j = 0; j < rx; ++j) b_k[j] = Bs[j][k][tx];
#pragma unroll
      for (int i = 0; i < ry; ++i) {
        const float a_k = As[i][ty][k];
#pragma unroll
        for (int j = 0; j < rx; ++j) sum[i][j] += a_k * b_k[j];
      }
    }
    __syncthreads();  // the next step overwrites the tiles: everyone must be done reading them
  }
  // lab: end
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
  // lab: begin estimate the time that a configuration takes
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const int threads = c.tile * c.tile;
  const int shared = threads * (c.rx + c.ry) * int(sizeof(float));
  // The results; twice the operands, in use and on their way; addresses.
  const int registers = c.rx * c.ry + 3 * (c.rx + c.ry) + 20;
  constexpr int most_registers = 255;  // of a thread, from compute capability 3.5 on
  if (threads > device.threads_per_block || shared > device.shared_per_block) return infinite;
  if (registers > std::min(most_registers, device.registers_per_sm / threads)) return infinite;

  // Of a block for one pair of tiles. Each of its warps issues rx * ry multiply-adds for each k,
  // four a cycle, and keeps shared memory busy: for every column of B, and less for a row of A,
  // where four neighbouring elements come in one load.
  const double step = threads / 32 * c.tile * (c.rx * c.ry / 4.0 + 0.7 * c.rx + 0.5 * c.ry + 0.5);
  // What a block that is alone on its SM waits for memory and at barriers, each step. Others fill
  // the gap.
  constexpr double waiting = 200;
  const auto together = [&](int blocks) { return blocks * step + waiting / blocks; };

  const dim3 grid = c.grid(n);
  const int blocks = divide_up(grid.x * grid.y, device.sms);  // of the busiest SM
  const int resident = std::min({device.threads_per_sm / threads, device.shared_per_sm / shared,
                                 device.registers_per_sm / (threads * registers)});
  const int rounds = blocks / resident;
  const int rest = blocks % resident;
  const double steps = divide_up(n, c.tile);
  cycles = steps * (rounds * together(resident) + (rest ? together(rest) : 0));
  // lab: end
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
