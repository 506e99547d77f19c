// Stage 12, first part: C = A * B by tensor cores, which multiply small matrices at a time.

#include "matmul_tensor.hpp"

#include <mma.h>

#include <cstddef>

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
//
// lane: of a warp; g = lane / 4 and t = lane % 4 say which elements of an operand it holds
// (tilewise/ptx.hpp).

// What moves at a time lies in units of 16 bytes: 8 halves or 4 floats. Where n is a multiple of
// that, rows begin at units; otherwise their elements have to be copied one by one.
template <class T>
constexpr int unit_of = 16 / sizeof(T);

// Edges of what blocks, and their warps, compute of C, in elements. In each step a block takes
// Depth columns of A and as many rows of B, and Stages of these tiles have room.
template <class T, int Rows, int Cols, int Depth, int WarpRows, int WarpCols, int Stages>
struct Shape {
  using Element = T;
  static constexpr int rows = Rows, cols = Cols, depth = Depth, stages = Stages;
  static constexpr int warp_rows = WarpRows, warp_cols = WarpCols;
  static constexpr int warps_down = Rows / WarpRows, warps_across = Cols / WarpCols;
  static constexpr int threads = warps_down * warps_across * 32;
  static constexpr int a_units = Depth / unit_of<T>, b_units = Cols / unit_of<T>;  // of a row
  static constexpr int a_elements = Rows * Depth, b_elements = Depth * Cols;
  static constexpr int shared_bytes = Stages * (a_elements + b_elements) * int(sizeof(T));
};

struct Place {
  int row, col;
};

static __host__ __device__ int divide_up(int count, int unit) { return (count + unit - 1) / unit; }

// The corner of what a block computes. Blocks that run at the same time lie in `group` rows of
// blocks, nearly a square of C, so that they share most of what they fetch in the L2 cache.
template <class S>
__device__ Place corner_of_block(int n) {
  constexpr int group = 16;
  const int down = divide_up(n, S::rows), across = divide_up(n, S::cols);
  const int of_group = int(blockIdx.x) / (group * across), at = int(blockIdx.x) % (group * across);
  const int rows = min(group, down - of_group * group);  // the last group may have fewer
  return {(of_group * group + at % rows) * S::rows, at / rows * S::cols};
}

// ---- matmul_wmma: fragments --------------------------------------------------------------------

using Wmma = Shape<__half, 128, 128, 32, 64, 32, 1>;

template <bool aligned>
__global__ __launch_bounds__(Wmma::threads) void wmma_kernel(const __half* A, const __half* B,
                                                             float* C, int n) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700  // before, there are no fragments
  // TODO(lab): multiply fragments from tiles in shared memory (80 lines)
#endif
}

// ---- tiles on their way ------------------------------------------------------------------------

// TODO(lab): (further on) copy tiles of A and B into shared memory, several steps ahead (70 lines)

// ---- matmul_mma: mma.sync, ldmatrix, asynchronous copies ----------------------------------------

struct Mma : Shape<__half, 128, 256, 64, 64, 64, 3> {
  // TODO(lab): (further on) say where units are kept (2 lines)
};

template <bool aligned>
__global__ __launch_bounds__(Mma::threads) void mma_kernel(const __half* A, const __half* B,
                                                           float* C, int n) {
  // TODO(lab): multiply operands that ldmatrix brings from tiles on their way (71 lines)
}

// ---- matmul_3xtf32: single precision from tf32 --------------------------------------------------

template <int Depth>
struct Tf32 : Shape<float, 128, 128, Depth, 64, 32, 3> {
  using Base = Shape<float, 128, 128, Depth, 64, 32, 3>;
  // TODO(lab): (further on) say where units are kept (2 lines)
};

// TODO(lab): (further on) split a float into a large and a small part (4 lines)

template <class S, bool aligned>
__global__ __launch_bounds__(S::threads) void tf32_kernel(const float* A, const float* B, float* C,
                                                          int n) {
  // TODO(lab): add up three products of tf32, in single precision outside of the tensor cores (103 lines)
}

// ---- what is called ----------------------------------------------------------------------------

static bool is_valid(const void* A, const void* B, const void* C, int n) {
  return n == 0 || (n > 0 && A && B && C);
}

// Whether the device is of this major compute capability, or a later one.
static cudaError_t require(int major) {
  int device = 0, found = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&found, cudaDevAttrComputeCapabilityMajor, device)) {
    return error;
  }
  return found >= major ? cudaSuccess : cudaErrorNotSupported;
}

// Whether rows of n elements begin at units of 16 bytes.
template <class T>
static bool are_aligned(const T* A, const T* B, const float* C, int n) {
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B) |
                    reinterpret_cast<std::size_t>(C);
  return n % unit_of<T> == 0 && bits % 16 == 0;
}

template <class S, class T>
static cudaError_t launch(void (*kernel)(const T*, const T*, float*, int), const T* A, const T* B,
                          float* C, int n) {
  // More than 48 KiB have to be asked for.
  if (const cudaError_t error = cudaFuncSetAttribute(
          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes)) {
    return error;
  }
  const int blocks = divide_up(n, S::rows) * divide_up(n, S::cols);
  kernel<<<blocks, S::threads, S::shared_bytes>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_wmma(const __half* A, const __half* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks
  if (const cudaError_t error = require(7)) return error;
  const dim3 grid(divide_up(n, Wmma::cols), divide_up(n, Wmma::rows));
  const auto kernel = are_aligned(A, B, C, n) ? wmma_kernel<true> : wmma_kernel<false>;
  kernel<<<grid, Wmma::threads>>>(A, B, C, n);
  return cudaGetLastError();
}

cudaError_t matmul_mma(const __half* A, const __half* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (const cudaError_t error = require(8)) return error;
  return launch<Mma>(are_aligned(A, B, C, n) ? mma_kernel<true> : mma_kernel<false>, A, B, C, n);
}

template <class S>
static cudaError_t launch_3xtf32(const float* A, const float* B, float* C, int n) {
  return launch<S>(are_aligned(A, B, C, n) ? tf32_kernel<S, true> : tf32_kernel<S, false>, A, B, C,
                   n);
}

cudaError_t matmul_3xtf32(const float* A, const float* B, float* C, int n) {
  if (!is_valid(A, B, C, n)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (const cudaError_t error = require(8)) return error;
  int device = 0, room = 0;  // of a block, in bytes: only the largest cards have it for deep tiles
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) {
    return error;
  }
  return room >= Tf32<64>::shared_bytes ? launch_3xtf32<Tf32<64>>(A, B, C, n)
                                        : launch_3xtf32<Tf32<32>>(A, B, C, n);
}
