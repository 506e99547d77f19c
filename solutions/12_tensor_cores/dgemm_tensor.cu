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

// lab: begin (further on) copy tiles several steps ahead
// Copies a unit of which `count` elements exist. Zeros in place of the others add nothing to a sum.
template <bool aligned>
__device__ void copy_unit(double* to, const double* from, int count) {
  if constexpr (aligned) {
    ptx::cp_async<16>(to, from, count * int(sizeof(double)));
  } else {
#pragma unroll
    for (int i = 0; i < unit; ++i) ptx::cp_async<8>(to + i, from + i, i < count ? 8 : 0);
  }
}

// How many elements of a unit exist, `left` elements before an edge.
__device__ int count_of_unit(int left) { return min(max(left, 0), unit); }

// A thread's share of the tiles that a block fetches, step by step. Tests and addresses of copies
// compete with products for the right to be issued: nearly all are worked out beforehand.
template <class S, bool aligned>
struct Feed {
  // Neighbouring threads copy neighbouring units, and each those of rows this far apart:
  static constexpr int a_rows = S::threads / S::a_units, b_rows = S::threads / S::b_units;
  using Offset = std::conditional_t<aligned, int, std::ptrdiff_t>;

  double* tiles;        // of all stages: (rows, depth) of A, then (depth, cols) of B
  const double *a, *b;  // the block's rows of A, from the next step on; this thread's unit of B
  int ldb;
  // This thread's units in those rows. Below the last row it is copied once more: what comes of it
  // is not stored.
  Offset a_offsets[S::rows / a_rows];
  int a_place, b_place;  // of the first units in their tiles
  int b_count;           // elements of each unit of B
  int k_left;            // from the next step on
  int stage = 0;         // that is filled next

  __device__ Feed(double* tiles_, int m, int n, int k, const double* A, int lda, const double* B,
                  int ldb_, Place corner)
      : tiles(tiles_), ldb(ldb_), k_left(k) {
    const int row = int(threadIdx.x) / S::a_units, q = int(threadIdx.x) / S::b_units;
    const int a_col = int(threadIdx.x) % S::a_units * unit;
    const int b_col = int(threadIdx.x) % S::b_units * unit;
    a = A + std::size_t(corner.row) * lda;
#pragma unroll
    for (int i = 0; i < S::rows / a_rows; ++i) {
      a_offsets[i] = Offset(min(row + i * a_rows, m - corner.row - 1)) * lda + a_col;
    }
    b = B + std::size_t(q) * ldb + corner.col + b_col;
    b_count = count_of_unit(n - corner.col - b_col);
    a_place = row * S::a_row + a_col;
    b_place = S::a_elements + q * S::b_row + b_col;
  }

  __device__ static int after(int stage) { return stage + 1 == S::stages ? 0 : stage + 1; }

  // Begins to copy the next step's tiles, and makes a group of these copies; an empty one behind
  // the last step, so that groups can be counted.
  __device__ void begin_step() {
    if (k_left > 0) {
      double* const to = tiles + stage * S::elements;
      const int a_count = count_of_unit(k_left - int(threadIdx.x) % S::a_units * unit);
      const int k_left_of_b = k_left - int(threadIdx.x) / S::b_units;
#pragma unroll
      for (int i = 0; i < S::rows / a_rows; ++i) {
        copy_unit<aligned>(to + a_place + i * a_rows * S::a_row, a + a_offsets[i], a_count);
      }
#pragma unroll
      for (int q = 0; q < S::depth; q += b_rows, b += std::size_t(b_rows) * ldb) {
        copy_unit<aligned>(to + b_place + q * S::b_row, b, q < k_left_of_b ? b_count : 0);
      }
      a += S::depth;
      k_left -= S::depth;
      stage = after(stage);
    }
    ptx::cp_async_commit();
  }
};
// lab: end

template <class S, bool aligned>
__global__ __launch_bounds__(S::threads) void tensor_kernel(int m, int n, int k, double alpha,
                                                            const double* A, int lda,
                                                            const double* B, int ldb, double beta,
                                                            double* C, int ldc) {
  // lab: begin multiply tiles that are on their way by tensor cores, and add them to C
  using Tiles = Feed<S, aligned>;
  constexpr int depth = 4;  // of mma_m16n8k4_f64
  constexpr int down = S::warp_rows / 16, across = S::warp_cols / 8;
  extern __shared__ __align__(128) unsigned char shared[];
  double* const tiles = reinterpret_cast<double*>(shared);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int row_of_warp = warp % S::warps_down * S::warp_rows;
  const int col_of_warp = warp / S::warps_down * S::warp_cols;
  const Place corner = corner_of_block<S>(m, n);

  double sum[down][across][4] = {};
  double a[2][down][2], b[2][across];  // of a step of 4, and of the next one
  int stage = 0;
  const auto load = [&](int q, int into) {
    const double* const As = tiles + stage * S::elements + (row_of_warp + g) * S::a_row + t;
    const double* const Bs =
        tiles + stage * S::elements + S::a_elements + t * S::b_row + col_of_warp + g;
#pragma unroll
    for (int j = 0; j < across; ++j) b[into][j] = Bs[q * S::b_row + j * 8];
#pragma unroll
    for (int i = 0; i < down; ++i) {
      a[into][i][0] = As[i * 16 * S::a_row + q];
      a[into][i][1] = As[(i * 16 + 8) * S::a_row + q];
    }
  };

  Tiles feed(tiles, m, n, k, A, lda, B, ldb, corner);
  for (int i = 0; i < S::stages - 1; ++i) feed.begin_step();
  ptx::cp_async_wait<S::stages - 2>();  // the first step has arrived,
  __syncthreads();                      // what other threads copy, too
  if (k > 0) load(0, 0);
  for (int k0 = 0; k0 < k; k0 += S::depth) {
#pragma unroll
    for (int q = 0; q < S::depth; q += depth) {
      const int now = q / depth % 2;
      if (q + depth < S::depth) {
        load(q + depth, 1 - now);
      } else {  // all have read the tiles of this step, and wait for those of the next
        ptx::cp_async_wait<S::stages - 2>();
        __syncthreads();
        stage = Tiles::after(stage);
        if (k0 + S::depth < k) load(0, 1 - now);
      }
      if (q == 0) feed.begin_step();  // into the tiles of the step before
#pragma unroll
      for (int i = 0; i < down; ++i) {
#pragma unroll
        for (int j = 0; j < across; ++j) ptx::mma_m16n8k4_f64(sum[i][j], a[now][i], b[now][j]);
      }
    }
  }

  // C is read only where beta is not 0: 0 * NaN would be NaN.
#pragma unroll
  for (int i = 0; i < down * 2; ++i) {
    const int row = corner.row + row_of_warp + i * 8 + g;
#pragma unroll
    for (int j = 0; j < across; ++j) {
      const int col = corner.col + col_of_warp + j * 8 + 2 * t;
      const double left = alpha * sum[i / 2][j][i % 2 * 2];
      const double right = alpha * sum[i / 2][j][i % 2 * 2 + 1];
      double* const to = C + std::size_t(row) * ldc + col;
      if (aligned && row < m && col + 1 < n) {
        const double2 old = beta == 0 ? make_double2(0, 0) : *reinterpret_cast<const double2*>(to);
        *reinterpret_cast<double2*>(to) = make_double2(left + beta * old.x, right + beta * old.y);
      } else {
        if (row < m && col < n) to[0] = beta == 0 ? left : left + beta * to[0];
        if (row < m && col + 1 < n) to[1] = beta == 0 ? right : right + beta * to[1];
      }
    }
  }
  // lab: end
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
