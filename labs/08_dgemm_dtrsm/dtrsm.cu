// Stage 8, second part: A * X = alpha * B in double precision, A lower triangular, X over B.

#include "dtrsm.hpp"

#include <algorithm>
#include <cstddef>

#include "dgemm.hpp"

// A: (m, m), B: (m, n), row-major: element (row, col) of B lies at row * ldb + col. Nothing above
// the diagonal of A may be read.

constexpr int warp = 32;

// Forward substitution for 32 columns of B at a time, 32 x 32 threads: thread (tx, ty) has element
// (ty, tx). m <= 32: rows of A and B.
__global__ void solve_shared_kernel(int m, int n, double alpha, const double* A, int lda, double* B,
                                    int ldb) {
  const int tx = threadIdx.x;  // column in the block
  const int row = threadIdx.y;
  const int col = blockIdx.x * warp + tx;
  const bool exists = row < m && col < n;

  double b = exists ? alpha * B[std::size_t(row) * ldb + col] : 0.0;
  // TODO(lab): solve one row after another; each solved row goes to the others by shared memory (9 lines)
  if (exists) B[std::size_t(row) * ldb + col] = b;
}

// Forward substitution for Rows rows, a multiple of 32. A warp has Cols columns of B, its lane l
// the rows l, l + 32, ... of them. m <= Rows: rows of A and B.
template <int Rows, int Warps, int Cols>
__global__ __launch_bounds__(Warps* warp, 2) void solve_shuffle_kernel(int m, int n, double alpha,
                                                                       const double* A, int lda,
                                                                       double* B, int ldb) {
  constexpr int threads = Warps * warp, block_cols = Warps * Cols;
  constexpr int strips = Rows / warp;  // of 32 rows
  const int t = threadIdx.x;
  const int lane = t % warp;
  const int own_col = t / warp * Cols;  // the warp's first, in the block
  const int col0 = blockIdx.x * block_cols;

  // First for the columns of B, which are read and written along rows but computed downwards; then
  // for 32 columns of A at a time. With an odd row length, the rows of a column lie in different
  // banks.
  __shared__ double tile[Rows][warp + 1];
  static_assert(block_cols <= warp, "B must fit, too");
#pragma unroll
  for (int i = 0; i < Rows * block_cols / threads; ++i) {
    const int row = (i * threads + t) / block_cols, col = (i * threads + t) % block_cols;
    const bool exists = row < m && col0 + col < n;
    tile[row][col] = exists ? alpha * B[std::size_t(row) * ldb + col0 + col] : 0.0;
  }
  __syncthreads();
  double x[strips][Cols];  // of rows lane + 32 * r
#pragma unroll
  for (int r = 0; r < strips; ++r) {
#pragma unroll
    for (int c = 0; c < Cols; ++c) x[r][c] = tile[r * warp + lane][own_col + c];
  }

  // TODO(lab): solve one row after another; each unknown goes to the other rows by a shuffle (32 lines)

  __syncthreads();
#pragma unroll
  for (int r = 0; r < strips; ++r) {
#pragma unroll
    for (int c = 0; c < Cols; ++c) tile[r * warp + lane][own_col + c] = x[r][c];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Rows * block_cols / threads; ++i) {
    const int row = (i * threads + t) / block_cols, col = (i * threads + t) % block_cols;
    if (row < m && col0 + col < n) B[std::size_t(row) * ldb + col0 + col] = tile[row][col];
  }
}

// B = 0; a block for each row.
__global__ void clear_kernel(int n, double* B, int ldb) {
  const int row = blockIdx.x;
  for (int col = threadIdx.x; col < n; col += blockDim.x) B[std::size_t(row) * ldb + col] = 0;
}

static int divide_up(int count, int unit) { return count / unit + (count % unit != 0); }

static bool is_valid(int m, int n, const double* A, int lda, const double* B, int ldb) {
  return m >= 0 && n >= 0 && lda >= m && ldb >= n && (m == 0 || n == 0 || (A && B));
}

static cudaError_t clear(int m, int n, double* B, int ldb) {
  clear_kernel<<<m, 256>>>(n, B, ldb);
  return cudaGetLastError();
}

static cudaError_t solve_shared(int m, int n, double alpha, const double* A, int lda, double* B,
                                int ldb) {
  solve_shared_kernel<<<divide_up(n, warp), dim3(warp, warp)>>>(m, n, alpha, A, lda, B, ldb);
  return cudaGetLastError();
}

template <int Rows>
static cudaError_t solve_shuffle(int m, int n, double alpha, const double* A, int lda, double* B,
                                 int ldb) {
  constexpr int warps = 8, cols = 2;  // 128 bytes of each row of B a block
  solve_shuffle_kernel<Rows, warps, cols>
      <<<divide_up(n, warps * cols), warps * warp>>>(m, n, alpha, A, lda, B, ldb);
  return cudaGetLastError();
}

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (!is_valid(warp, n, A, lda, B, ldb)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (alpha == 0) return clear(warp, n, B, ldb);
  return solve_shared(warp, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (!is_valid(warp, n, A, lda, B, ldb)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (alpha == 0) return clear(warp, n, B, ldb);
  return solve_shuffle<warp>(warp, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  if (!is_valid(m, n, A, lda, B, ldb)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) return clear(m, n, B, ldb);
  // TODO(lab): sweep over the diagonal: solve 32 rows, subtract what they contribute to those below (15 lines)
  return cudaSuccess;
}

// A: (m, m), B: (m, n), neither of them empty.
static cudaError_t solve_recursively(int m, int n, double alpha, const double* A, int lda,
                                     double* B, int ldb) {
  cudaError_t last = cudaErrorNotSupported;
  // TODO(lab): solve the upper half, subtract what it contributes to the lower half, solve that (12 lines)
  return last;
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  if (!is_valid(m, n, A, lda, B, ldb)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) return clear(m, n, B, ldb);
  return solve_recursively(m, n, alpha, A, lda, B, ldb);
}
