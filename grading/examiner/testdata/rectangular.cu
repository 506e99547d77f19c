#include "grading/examiner/testdata/rectangular.hpp"

#include "grading/worker/binding.hpp"

namespace {

constexpr int side = 16;

dim3 grid_of(int rows, int cols) {
  return dim3((cols + side - 1) / side, (rows + side - 1) / side);
}

__global__ void transpose_kernel(float* out, const float* in, int rows, int cols) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
}

__global__ void copy_kernel(float* out, const float* in, int rows, int cols) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row < rows && col < cols) out[row * cols + col] = in[row * cols + col];
}

__global__ void unguarded_kernel(float* out, const float* in, int rows, int cols) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row < rows) out[col * rows + row] = in[row * cols + col];
}

__global__ void clear_kernel(float* values, int count) {
  const int i = blockIdx.x * side + threadIdx.x;
  if (i < count) values[i] = 0;
}

}  // namespace

cudaError_t transpose_right(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  transpose_kernel<<<grid_of(rows, cols), dim3(side, side)>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_copies(float* out, const float* in, int rows, int cols) {
  copy_kernel<<<grid_of(rows, cols), dim3(side, side)>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_unguarded(float* out, const float* in, int rows, int cols) {
  unguarded_kernel<<<grid_of(rows, cols), dim3(side, side)>>>(out, in, rows, cols);
  return cudaGetLastError();
}

cudaError_t transpose_clears_in(float* out, const float* in, int rows, int cols) {
  transpose_kernel<<<grid_of(rows, cols), dim3(side, side)>>>(out, in, rows, cols);
  clear_kernel<<<1, side>>>(const_cast<float*>(in), 1);
  return cudaGetLastError();
}

cudaError_t transpose_once(float* out, const float* in, int rows, int cols) {
  static bool done = false;
  if (done) return transpose_copies(out, in, rows, cols);
  done = true;
  return transpose_right(out, in, rows, cols);
}

cudaError_t transpose_any_shape(float* out, const float* in, int rows, int cols) {
  if (rows <= 0 || cols <= 0) {
    clear_kernel<<<1, 1>>>(out, 1);
    return cudaSuccess;
  }
  return transpose_right(out, in, rows, cols);
}

namespace {

__global__ void dgemm_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                             const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0;
  if (alpha != 0) {
    for (int i = 0; i < k; ++i) sum += A[row * lda + i] * B[i * ldb + col];
  }
  sum *= alpha;
  C[row * ldc + col] = beta == 0 ? sum : sum + beta * C[row * ldc + col];
}

__global__ void dgemm_reads_all_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                                       const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += A[row * lda + i] * B[i * ldb + col];
  C[row * ldc + col] = alpha * sum + beta * C[row * ldc + col];
}

__global__ void dgemm_float_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                                   const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * side + threadIdx.y, col = blockIdx.x * side + threadIdx.x;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) {
    sum += static_cast<float>(A[row * lda + i]) * static_cast<float>(B[i * ldb + col]);
  }
  C[row * ldc + col] = beta == 0 ? alpha * sum : alpha * sum + beta * C[row * ldc + col];
}

}  // namespace

cudaError_t dgemm_right(int m, int n, int k, double alpha, const double* A, int lda,
                        const double* B, int ldb, double beta, double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  dgemm_kernel<<<grid_of(m, n), dim3(side, side)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_reads_all(int m, int n, int k, double alpha, const double* A, int lda,
                            const double* B, int ldb, double beta, double* C, int ldc) {
  dgemm_reads_all_kernel<<<grid_of(m, n), dim3(side, side)>>>(m, n, k, alpha, A, lda, B, ldb, beta,
                                                              C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_dense(int m, int n, int k, double alpha, const double* A, int lda,
                        const double* B, int ldb, double beta, double* C, int) {
  return dgemm_right(m, n, k, alpha, A, lda, B, ldb, beta, C, n);
}

cudaError_t dgemm_in_float(int m, int n, int k, double alpha, const double* A, int lda,
                           const double* B, int ldb, double beta, double* C, int ldc) {
  dgemm_float_kernel<<<grid_of(m, n), dim3(side, side)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C,
                                                          ldc);
  return cudaGetLastError();
}

namespace {

constexpr int order = 32;

// One thread a column of B.
__global__ void solve_kernel(int m, int n, double alpha, const double* A, int lda, double* B,
                             int ldb) {
  __shared__ double As[order][order];
  for (int i = threadIdx.x; i < m * m; i += order) {
    const int row = i / m, col = i % m;
    if (col <= row) As[row][col] = A[row * lda + col];
  }
  __syncthreads();
  const int col = blockIdx.x * order + threadIdx.x;
  if (col >= n) return;
  for (int row = 0; row < m; ++row) {
    double sum = alpha * B[row * ldb + col];
    for (int k = 0; k < row; ++k) sum -= As[row][k] * B[k * ldb + col];
    B[row * ldb + col] = sum / As[row][row];
  }
}

// As solve_kernel, for 32 rows, but all of A goes to shared memory.
__global__ void load_all_kernel(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  __shared__ double As[order][order];
  for (int row = 0; row < order; ++row) As[row][threadIdx.x] = A[row * lda + threadIdx.x];
  __syncthreads();
  const int col = blockIdx.x * order + threadIdx.x;
  if (col >= n) return;
  for (int row = 0; row < order; ++row) {
    double sum = alpha * B[row * ldb + col];
    for (int k = 0; k < row; ++k) sum -= As[row][k] * B[k * ldb + col];
    B[row * ldb + col] = sum / As[row][row];
  }
}

cudaError_t solve_blocks(int m, int n, double alpha, const double* A, int lda, double* B, int ldb,
                         bool with_updates) {
  if (m < 0 || n < 0 || lda < m || ldb < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) {  // a product without terms
    dgemm_kernel<<<grid_of(m, n), dim3(side, side)>>>(m, n, 0, 0, A, lda, B, ldb, 0, B, ldb);
    return cudaGetLastError();
  }
  for (int first = 0; first < m; first += order) {
    const int rows = m - first < order ? m - first : order;
    double* X = B + first * ldb;
    double scale = alpha;
    if (first > 0 && with_updates) {
      dgemm_kernel<<<grid_of(rows, n), dim3(side, side)>>>(rows, n, first, -1, A + first * lda, lda,
                                                           B, ldb, alpha, X, ldb);
      scale = 1;
    }
    solve_kernel<<<(n + order - 1) / order, order>>>(rows, n, scale, A + first * lda + first, lda,
                                                     X, ldb);
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t dtrsm_right(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return solve_blocks(m, n, alpha, A, lda, B, ldb, true);
}

cudaError_t dtrsm_without_updates(int m, int n, double alpha, const double* A, int lda, double* B,
                                  int ldb) {
  return solve_blocks(m, n, alpha, A, lda, B, ldb, false);
}

cudaError_t dtrsm_loads_all(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  load_all_kernel<<<(n + order - 1) / order, order>>>(n, alpha, A, lda, B, ldb);
  return cudaGetLastError();
}

TILEWISE_BINDINGS(TILEWISE_BIND(transpose_right), TILEWISE_BIND(transpose_copies),
                  TILEWISE_BIND(transpose_unguarded), TILEWISE_BIND(transpose_clears_in),
                  TILEWISE_BIND(transpose_once), TILEWISE_BIND(transpose_any_shape),
                  TILEWISE_BIND(dgemm_right), TILEWISE_BIND(dgemm_reads_all),
                  TILEWISE_BIND(dgemm_dense), TILEWISE_BIND(dgemm_in_float),
                  TILEWISE_BIND(dtrsm_right), TILEWISE_BIND(dtrsm_without_updates),
                  TILEWISE_BIND(dtrsm_loads_all))
