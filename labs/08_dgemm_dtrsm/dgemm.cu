// Stage 8, first part: C = alpha * A * B + beta * C in double precision, on parts of matrices.

#include "dgemm.hpp"

#include <cstddef>

// A: (m, k), B: (k, n), C: (m, n), row-major: element (row, col) of A lies at row * lda + col.

// C is read only where beta is not 0: 0 * NaN would be NaN.
__device__ void store(double* c, double alpha, double sum, double beta) {
  *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;
}

__global__ void global_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                              const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0;
  // TODO(lab): sum up a row of A times a column of B (3 lines)
  store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

// One result a thread, tiles in shared memory, as in stage 3: blocks of Tile x Tile threads.
template <int Tile>
__global__ void shared_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                              const double* B, int ldb, double beta, double* C, int ldc) {
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty;
  const int col = blockIdx.x * Tile + tx;

  double sum = 0;
  // TODO(lab): sum up the products of tiles (10 lines)
  if (row < m && col < n) store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

static int divide_up(int count, int unit) { return count / unit + (count % unit != 0); }

// TODO(lab): (further on) a kernel with several results a thread, as in stage 6 (108 lines)

static bool is_valid(int m, int n, int k, double alpha, const double* A, int lda, const double* B,
                     int ldb, const double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return false;
  if (m == 0 || n == 0) return true;
  return C && (alpha == 0 || k == 0 || (A && B));
}

// A grid ends at 65,535 blocks along y.
constexpr int most_blocks_down = 65'535;

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;  // neither A nor B may be read: 0 * NaN would be NaN
  constexpr int block_rows = 8, band = most_blocks_down * block_rows;  // rows of a launch
  if (m > band) {
    const cudaError_t error = dgemm_global(band, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    if (error) return error;
    return dgemm_global(m - band, n, k, alpha, A + std::size_t(band) * lda, lda, B, ldb, beta,
                        C + std::size_t(band) * ldc, ldc);
  }
  const dim3 block(32, block_rows);
  const dim3 grid(divide_up(n, block.x), divide_up(m, block.y));
  global_kernel<<<grid, block>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (!is_valid(m, n, k, alpha, A, lda, B, ldb, C, ldc)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;
  constexpr int tile = 16, band = most_blocks_down * tile;  // rows of a launch
  if (m > band) {
    const cudaError_t error = dgemm_shared(band, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
    if (error) return error;
    return dgemm_shared(m - band, n, k, alpha, A + std::size_t(band) * lda, lda, B, ldb, beta,
                        C + std::size_t(band) * ldc, ldc);
  }

  // TODO(lab): (further on) choose the kernel with several results a thread where C is large enough (11 lines)
  const dim3 grid(divide_up(n, tile), divide_up(m, tile));
  shared_kernel<tile><<<grid, dim3(tile, tile)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}
