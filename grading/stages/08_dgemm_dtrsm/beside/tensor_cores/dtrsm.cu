// DTRSM of products alone, for tensor cores: diagonal blocks of A are inverted, all in one launch,
// and then each block of rows of X is a product in place of a substitution.
#include "dtrsm.hpp"

#include <algorithm>
#include <cstddef>

#include "dgemm.hpp"

// A: (m, m), lower triangular, B: (m, n), row-major: element (row, col) lies at row * ld + col.
// Nothing above the diagonal of A is read.

constexpr int block = 128;  // rows of B that one product solves: as many as a block of dgemm.cu has
constexpr int most_blocks = 64;  // whose inverses have room; further ones come when these are done
constexpr int chunk = most_blocks * block;

__device__ double inverses[most_blocks][block][block];

// Blocks of `block` threads: thread j solves A X = 1 for column j of a diagonal block's inverse X.
__global__ void invert_kernel(int m, const double* A, int lda) {
  const int row0 = blockIdx.x * block, count = min(block, m - row0), col = threadIdx.x;
  const int first = col / 32 * 32;  // above it all columns of this warp are 0
  A += std::size_t(row0) * lda + row0;
  double(&X)[block][block] = inverses[blockIdx.x];
  for (int i = 0; i < count; ++i) {
    const double* const a = A + std::size_t(i) * lda;  // row i
    double sum = i == col ? 1 : 0;
    for (int k = first; k < i; ++k) sum -= a[k] * X[k][col];
    X[i][col] = sum / a[i];
  }
}

// Rows of a panel: its product with all rows above is one launch, which shall have a block for each
// multiprocessor, while products within it are small. On an H200 256 rows were best for 8192
// columns and 512 for 4096; fewer columns get no more.
static cudaError_t choose_panel(int n, int* panel) {
  int device = 0, multiprocessors = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error =
          cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device)) {
    return error;
  }
  *panel = 4 * block;
  const int across = (n - 1) / block + 1;
  while (*panel > block && *panel / block * across > multiprocessors) *panel /= 2;
  return cudaSuccess;
}

// B -= A * X in rows [row, row + count), for the columns [first, row) of A, whose X are known.
static cudaError_t subtract(int row, int count, int first, int n, double alpha, const double* A,
                            int lda, double* B, int ldb) {
  return dgemm_shared(count, n, row - first, -1.0, A + std::size_t(row) * lda + first, lda,
                      B + std::size_t(first) * ldb, ldb, alpha, B + std::size_t(row) * ldb, ldb);
}

static cudaError_t solve(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (m < 0 || n < 0 || lda < m || ldb < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!A || !B) return cudaErrorInvalidValue;
  // B = 0
  if (alpha == 0) return dgemm_shared(m, n, 0, 0.0, nullptr, 0, nullptr, n, 0.0, B, ldb);

  int panel = 0;
  if (const cudaError_t error = choose_panel(n, &panel)) return error;
  const double* inverse = nullptr;
  if (const cudaError_t error = cudaGetSymbolAddress((void**)&inverse, inverses)) return error;
  for (int row = 0; row < m; row += panel) {
    if (row % chunk == 0) {
      const int left = std::min(chunk, m - row);
      invert_kernel<<<(left - 1) / block + 1, block>>>(left, A + std::size_t(row) * lda + row, lda);
      if (const cudaError_t error = cudaGetLastError()) return error;
    }
    const int end = std::min(row + panel, m);
    if (const cudaError_t error = subtract(row, end - row, 0, n, alpha, A, lda, B, ldb))
      return error;
    for (int own = row; own < end; own += block) {
      const int count = std::min(block, end - own);
      if (own > row) {
        if (const cudaError_t error = subtract(own, count, row, n, 1.0, A, lda, B, ldb))
          return error;
      }
      const double* const inverted = inverse + std::size_t(own % chunk) * block;
      double* const X = B + std::size_t(own) * ldb;
      if (const cudaError_t error =
              dgemm_shared(count, n, count, 1.0, inverted, block, X, ldb, 0.0, X, ldb)) {
        return error;
      }
    }
  }
  return cudaSuccess;
}

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return solve(32, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return solve(32, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  return solve(m, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  return solve(m, n, alpha, A, lda, B, ldb);
}
