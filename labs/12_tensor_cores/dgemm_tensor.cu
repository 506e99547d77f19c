// Stage 12, second part: C = alpha * A * B + beta * C in double precision, by tensor cores.

#include "dgemm_tensor.hpp"

#include <cstddef>
#include <limits>
#include <type_traits>

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

// A: (m, k), B: (k, n), C: (m, n), row-major: element (row, col) of A lies at row * lda + col.
// lane: of a warp; g = lane / 4 and t = lane % 4 say which elements of an operand it holds
// (tilewise/ptx.hpp).

constexpr int unit = 2;  // doubles in 16 bytes, which are copied, loaded and stored at a time

// Edges of what blocks, and their warps, compute of C, in elements. In each step a block takes
// Depth columns of A and as many rows of B, and Stages of these tiles have room.
template <int Depth, int Stages>
struct Tile {
  static constexpr int rows = 128, cols = 128, warp_rows = 64, warp_cols = 32;
  static constexpr int depth = Depth, stages = Stages;
  static constexpr int warps_down = rows / warp_rows, warps_across = cols / warp_cols;
  static constexpr int threads = warps_down * warps_across * 32;
  static constexpr int a_units = depth / unit, b_units = cols / unit;  // of a row
  // Half a warp, which is served at a time, reads 4 doubles of 4 rows of a tile. They lie in all 32
  // banks if rows are 4 doubles longer than a multiple of 16.
  static constexpr int a_row = depth + 4, b_row = cols + 4;
  static constexpr int a_elements = rows * a_row, elements = a_elements + depth * b_row;
  static constexpr int shared_bytes = stages * elements * int(sizeof(double));
};

static __host__ __device__ int divide_up(int count, int by) {
  return count / by + (count % by != 0);
}

struct Place {
  int row, col;
};

// The corner of what a block computes. Blocks that run at the same time lie in `group` rows of
// blocks, nearly a square of C, so that they share most of what they fetch in the L2 cache.
template <class S>
__device__ Place corner_of_block(int m, int n) {
  constexpr int group = 8;
  const int down = divide_up(m, S::rows), across = divide_up(n, S::cols);
  const int of_group = int(blockIdx.x) / (group * across), at = int(blockIdx.x) % (group * across);
  const int rows = min(group, down - of_group * group);  // the last group may have fewer
  return {(of_group * group + at % rows) * S::rows, at / rows * S::cols};
}

// TODO(lab): (further on) copy tiles several steps ahead (59 lines)

template <class S, bool aligned>
__global__ __launch_bounds__(S::threads) void tensor_kernel(int m, int n, int k, double alpha,
                                                            const double* A, int lda,
                                                            const double* B, int ldb, double beta,
                                                            double* C, int ldc) {
  // TODO(lab): multiply tiles that are on their way by tensor cores, and add them to C (67 lines)
}

static bool is_valid(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                     int ldb, const double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return false;
  if (m == 0 || n == 0) return true;
  return C && (alpha == 0 || k == 0 || (A && B));
}

template <class S>
static cudaError_t launch(int m, int n, int k, double alpha, const double* A, int lda,
                          const double* B, int ldb, double beta, double* C, int ldc) {
  // Where rows begin at units, a copy takes 16 bytes, and otherwise 8.
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B) |
                    reinterpret_cast<std::size_t>(C);
  constexpr int longest = std::numeric_limits<int>::max() / S::rows;  // row of A, for its offsets
  const bool aligned = lda % unit == 0 && ldb % unit == 0 && ldc % unit == 0 &&
                       bits % (unit * sizeof(double)) == 0 && lda <= longest;
  const auto kernel = aligned ? tensor_kernel<S, true> : tensor_kernel<S, false>;
  // More than 48 KiB have to be asked for.
  if (const cudaError_t error = cudaFuncSetAttribute(
          kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::shared_bytes)) {
    return error;
  }
  const int blocks = divide_up(m, S::rows) * divide_up(n, S::cols);
  kernel<<<blocks, S::threads, S::shared_bytes>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;  // neither A nor B may be read: 0 * NaN would be NaN

  int device = 0, major = 0, room = 0;  // room: of a block in shared memory, in bytes
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) {
    return error;
  }
  if (major < 8) return cudaErrorNotSupported;  // tensor cores take doubles from 8.0 on
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) {
    return error;
  }
  // Fewer and deeper steps meet less often; only the largest cards have room for them.
  const auto run = room >= Tile<32, 3>::shared_bytes ? launch<Tile<32, 3>> : launch<Tile<16, 2>>;
  return run(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
