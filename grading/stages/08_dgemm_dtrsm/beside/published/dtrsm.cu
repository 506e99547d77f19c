// DTRSM as fing2020 has it: a warp walks down a column of B, and so every access scatters. The
// sweep takes the blocks of A one by one, and the recursion ends at two of them. alpha is not 0.
#include "dtrsm.hpp"

#include <algorithm>
#include <cstddef>

#include "dgemm.hpp"

constexpr int warp = 32;

// Blocks of 32 x 32 threads: thread (x, y) has row x of the block's column y. m <= 32 rows.
template <bool Shuffle>
__global__ void solve_by_columns_kernel(int m, int n, double alpha, const double* A, int lda,
                                        double* B, int ldb) {
  __shared__ double As[warp][warp];  // (row, col): a column of it lies in one bank
  __shared__ double X[warp][warp];   // (column of B, row)
  const int row = threadIdx.x, ty = threadIdx.y;
  const int col = blockIdx.x * warp + ty;
  const bool exists = row < m && col < n;
  if (ty <= row && row < m) As[row][ty] = A[std::size_t(row) * lda + ty];
  double x = exists ? alpha * B[std::size_t(row) * ldb + col] : 0.0;
  __syncthreads();
  for (int j = 0; j < m; ++j) {
    if (row == j) x /= As[j][j];
    double solved;
    if (Shuffle) {
      solved = __shfl_sync(0xffffffff, x, j);
    } else {
      if (row == j) X[ty][j] = x;
      __syncwarp();
      solved = X[ty][j];
    }
    if (row > j && row < m) x -= As[row][j] * solved;
  }
  if (exists) B[std::size_t(row) * ldb + col] = x;
}

template <bool Shuffle>
static cudaError_t solve(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (n == 0) return cudaSuccess;
  const dim3 block(warp, warp);
  solve_by_columns_kernel<Shuffle><<<(n + warp - 1) / warp, block>>>(m, n, alpha, A, lda, B, ldb);
  return cudaGetLastError();
}

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return solve<false>(warp, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return solve<true>(warp, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  for (int row = 0; row < m; row += warp) {
    const int rows = std::min(warp, m - row);
    double* own = B + std::size_t(row) * ldb;  // (rows, n)
    const double* left = A + std::size_t(row) * lda;
    for (int col = 0; col < row; col += warp) {
      const double* X = B + std::size_t(col) * ldb;  // (32, n)
      if (const cudaError_t error = dgemm_shared(rows, n, warp, -1, left + col, lda, X, ldb,
                                                 col == 0 ? alpha : 1, own, ldb)) {
        return error;
      }
    }
    const double scale = row == 0 ? alpha : 1;
    if (const cudaError_t error = solve<false>(rows, n, scale, left + row, lda, own, ldb)) {
      return error;
    }
  }
  return cudaSuccess;
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  if (m <= 2 * warp) return dtrsm_blocked(m, n, alpha, A, lda, B, ldb);
  const int upper = (m / 2 + warp - 1) / warp * warp, lower = m - upper;
  const double* A21 = A + std::size_t(upper) * lda;  // (lower, upper)
  double* B2 = B + std::size_t(upper) * ldb;         // (lower, n)
  if (const cudaError_t error = dtrsm_recursive(upper, n, alpha, A, lda, B, ldb)) return error;
  if (const cudaError_t error =
          dgemm_shared(lower, n, upper, -1, A21, lda, B, ldb, alpha, B2, ldb)) {
    return error;
  }
  return dtrsm_recursive(lower, n, 1, A21 + upper, lda, B2, ldb);
}
