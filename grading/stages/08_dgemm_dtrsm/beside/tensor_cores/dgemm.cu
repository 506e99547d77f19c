// DGEMM by tensor cores, for the solver in dtrsm.cu: stage 12's dgemm_tensor in a shorter form.
#include "dgemm.hpp"

#include <cstddef>
#include <limits>

#include "tilewise/ptx.hpp"

namespace ptx = tilewise::ptx;

// A: (m, k), B: (k, n), C: (m, n), row-major: element (row, col) of A lies at row * lda + col.

// A block of 8 warps computes (rows, cols) of C, each warp (warp_rows, warp_cols) of them. In each
// step it takes Depth columns of A and as many rows of B, while those of the next one are copied.
constexpr int rows = 128, cols = 128, warp_rows = 64, warp_cols = 32, threads = 256;
constexpr int warps_down = rows / warp_rows;

// Half a warp, which is served at a time, reads 4 doubles of 4 rows of a tile. They lie in all 32
// banks if rows are 4 doubles longer than a multiple of 16.
constexpr int padding = 4;

template <int Depth>
struct Tiles {
  double A[rows][Depth + padding];
  double B[Depth][cols + padding];
};

// A thread's share of the tiles that a block copies, step by step. unit: doubles that one copy moves.
// What can be is worked out beforehand, since tests and addresses compete with products for the
// right to be issued. Zeros stand where a matrix has ended: they add nothing to a sum.
template <int Depth, int unit>
struct Feed {
  // Neighbouring threads copy neighbouring units, and each those of rows this far apart:
  static constexpr int a_units = Depth / unit, b_units = cols / unit;  // of a row
  static constexpr int a_rows = threads / a_units, b_rows = threads / b_units;

  const double *a, *b;  // this thread's first unit of the next step, in the block's first row of A
  int ldb;
  int a_row, a_col, b_row, b_col;  // of its units in their tiles
  // From there to its units below. Below the last row of A that is copied once more: what comes of
  // it is not stored.
  int a_offsets[rows / a_rows];
  int b_bytes;  // of each unit of B

  __device__ Feed(int m, int n, const double* A, int lda, const double* B, int ldb_)
      : a(A), b(B), ldb(ldb_) {
    a_row = threadIdx.x / a_units, a_col = threadIdx.x % a_units * unit;
    b_row = threadIdx.x / b_units, b_col = threadIdx.x % b_units * unit;
    a += a_col;
    b += std::size_t(b_row) * ldb + b_col;
    b_bytes = min(max(n - b_col, 0), unit) * int(sizeof(double));
#pragma unroll
    for (int i = 0; i < rows / a_rows; ++i) a_offsets[i] = min(a_row + i * a_rows, m - 1) * lda;
  }

  // Begins to copy the next Depth columns of A and rows of B, of which k are left.
  __device__ void begin_step(Tiles<Depth>& to, int k) {
    const int a_bytes = min(max(k - a_col, 0), unit) * int(sizeof(double));
#pragma unroll
    for (int i = 0; i < rows / a_rows; ++i) {
      ptx::cp_async<unit * 8>(&to.A[a_row + i * a_rows][a_col], a + a_offsets[i], a_bytes);
    }
#pragma unroll
    for (int q = 0; q < Depth; q += b_rows, b += std::size_t(b_rows) * ldb) {
      ptx::cp_async<unit * 8>(&to.B[b_row + q][b_col], b, b_row + q < k ? b_bytes : 0);
    }
    a += Depth;
  }
};

// C = alpha * A * B + beta * C. C may lie over B if m <= rows: a block then has all rows of its
// columns, and it stores when all of them have been copied.
template <int Depth, int unit>
__global__ __launch_bounds__(threads) void product_kernel(int m, int n, int k, double alpha,
                                                          const double* A, int lda, const double* B,
                                                          int ldb, double beta, double* C,
                                                          int ldc) {
  constexpr int depth = 4;  // of mma_m16n8k4_f64
  constexpr int down = warp_rows / 16, across = warp_cols / 8;
  extern __shared__ __align__(128) unsigned char shared[];
  Tiles<Depth>* const tiles = reinterpret_cast<Tiles<Depth>*>(shared);  // two of them
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int row_of_warp = warp % warps_down * warp_rows,
            col_of_warp = warp / warps_down * warp_cols;
  const int row0 = blockIdx.x * rows, col0 = blockIdx.y * cols;

  Feed<Depth, unit> feed(m - row0, n - col0, A + std::size_t(row0) * lda, lda, B + col0, ldb);
  int current = 0;  // of the two, the tiles that are multiplied
  double sum[down][across][4] = {};
  double a[2][down][2], b[2][across];  // of 4 columns of A, and of the next ones
  const auto load = [&](const Tiles<Depth>& from, int q, int into) {
#pragma unroll
    for (int j = 0; j < across; ++j) b[into][j] = from.B[q + t][col_of_warp + j * 8 + g];
#pragma unroll
    for (int i = 0; i < down; ++i) {
      a[into][i][0] = from.A[row_of_warp + i * 16 + g][q + t];
      a[into][i][1] = from.A[row_of_warp + i * 16 + 8 + g][q + t];
    }
  };

  if (k > 0) feed.begin_step(tiles[0], k);
  ptx::cp_async_commit();
  ptx::cp_async_wait<0>();
  __syncthreads();
  if (k > 0) load(tiles[0], 0, 0);
  for (int k0 = 0; k0 < k; k0 += Depth) {
#pragma unroll
    for (int q = 0; q < Depth; q += depth) {
      const int now = q / depth % 2;
      if (q + depth < Depth) {
        load(tiles[current], q + depth, 1 - now);
      } else {
        ptx::cp_async_wait<0>();
        __syncthreads();
        current = 1 - current;
        if (k0 + Depth < k) load(tiles[current], 0, 1 - now);
      }
      if (q == 0) {  // into the tiles of the step before, which all have read
        if (k0 + Depth < k) feed.begin_step(tiles[1 - current], k - k0 - Depth);
        ptx::cp_async_commit();
      }
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
    const int row = row0 + row_of_warp + i * 8 + g;
#pragma unroll
    for (int j = 0; j < across * 2; ++j) {
      const int col = col0 + col_of_warp + j / 2 * 8 + 2 * t + j % 2;
      if (row < m && col < n) {
        double& c = C[std::size_t(row) * ldc + col];
        const double product = alpha * sum[i / 2][j / 2][i % 2 * 2 + j % 2];
        c = beta == 0 ? product : product + beta * c;
      }
    }
  }
}

static int divide_up(int count, int by) { return count / by + (count % by != 0); }

template <int Depth, int unit>
static cudaError_t launch(int m, int n, int k, double alpha, const double* A, int lda,
                          const double* B, int ldb, double beta, double* C, int ldc) {
  constexpr int shared_bytes = 2 * sizeof(Tiles<Depth>);
  const auto kernel = product_kernel<Depth, unit>;
  if (const cudaError_t error =
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes)) {
    return error;
  }
  kernel<<<dim3(divide_up(m, rows), divide_up(n, cols)), threads, shared_bytes>>>(
      m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

static bool is_valid(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                     int ldb, const double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return false;
  if (m == 0 || n == 0) return true;
  return C && (alpha == 0 || k == 0 || (A && B));
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;  // neither A nor B may be read
  if (lda > std::numeric_limits<int>::max() / rows) return cudaErrorInvalidValue;  // for offsets

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
  const bool is_deep = room >= int(2 * sizeof(Tiles<32>));
  // Where rows begin at multiples of 16 bytes, a copy takes two doubles.
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B);
  const bool in_pairs = lda % 2 == 0 && ldb % 2 == 0 && bits % 16 == 0;
  const auto run = is_deep    ? in_pairs ? launch<32, 2> : launch<32, 1>
                      : in_pairs ? launch<16, 2>
                              : launch<16, 1>;
  return run(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  return dgemm_shared(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
