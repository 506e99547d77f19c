// All shared memory dynamic, 16 columns a block. Two columns a warp: a half of it has one, two rows
// in each lane. The recursion cuts behind the largest power of two, and ends at 64 rows; alpha
// comes first, by a kernel of its own.
#include "dtrsm.hpp"

#include <cstddef>

#include "dgemm.hpp"

static constexpr int rows_at_once = 32, cols_at_once = 16;
static constexpr int pitch_a = rows_at_once + 1, pitch_b = cols_at_once + 1;

__host__ __device__ static std::size_t at(int row, int col, int ld) {
  return static_cast<std::size_t>(row) * ld + col;
}

// Row by row, what lies below the diagonal; the diagonal itself as its inverse.
__device__ static void take_triangle(double* to, const double* A, int lda, int m, int t,
                                     int threads) {
  for (int i = t; i < rows_at_once * rows_at_once; i += threads) {
    const int row = i / rows_at_once, col = i % rows_at_once;
    double value = row == col ? 1.0 : 0.0;
    if (row < m && col < row) value = A[at(row, col, lda)];
    if (row < m && col == row) value = 1.0 / A[at(row, col, lda)];
    to[row * pitch_a + col] = value;
  }
}

// Threads (16, 32): a thread for each element.
__global__ void forward_shared(int m, int n, const double* A, int lda, double* B, int ldb) {
  extern __shared__ double memory[];
  double* const a = memory;
  double* const solved = memory + rows_at_once * pitch_a;
  const int row = threadIdx.y;
  const int col = blockIdx.x * cols_at_once + threadIdx.x;
  const int t = row * cols_at_once + threadIdx.x;
  take_triangle(a, A, lda, m, t, rows_at_once * cols_at_once);
  double x = 0.0;
  if (row < m && col < n) x = B[at(row, col, ldb)];
  __syncthreads();
  int j = 0;
  while (j < rows_at_once) {
    if (row == j) {
      x *= a[j * pitch_a + j];
      solved[j * cols_at_once + threadIdx.x] = x;
    }
    __syncthreads();
    if (row > j) x = fma(-a[row * pitch_a + j], solved[j * cols_at_once + threadIdx.x], x);
    ++j;
  }
  if (row < m && col < n) B[at(row, col, ldb)] = x;
}

// 256 threads.
__global__ void forward_shuffle(int m, int n, const double* A, int lda, double* B, int ldb) {
  extern __shared__ double memory[];
  double* const a = memory;
  double* const b = memory + rows_at_once * pitch_a;
  const int t = threadIdx.x, first = blockIdx.x * cols_at_once;
  take_triangle(a, A, lda, m, t, 256);
  for (int i = t; i < rows_at_once * cols_at_once; i += 256) {
    const int row = i / cols_at_once, col = i % cols_at_once;
    b[row * pitch_b + col] = row < m && first + col < n ? B[at(row, first + col, ldb)] : 0.0;
  }
  __syncthreads();
  const int half_lane = t % 16, col = t / 16;
  double upper = b[half_lane * pitch_b + col], lower = b[(half_lane + 16) * pitch_b + col];
  for (int j = 0; j < 16; ++j) {
    if (half_lane == j) upper *= a[j * pitch_a + j];
    const double known = __shfl_sync(0xffffffffu, upper, j, 16);
    if (half_lane > j) upper -= a[half_lane * pitch_a + j] * known;
    lower -= a[(half_lane + 16) * pitch_a + j] * known;
  }
  for (int j = 16; j < 32; ++j) {
    if (half_lane + 16 == j) lower *= a[j * pitch_a + j];
    const double known = __shfl_sync(0xffffffffu, lower, j - 16, 16);
    if (half_lane + 16 > j) lower -= a[(half_lane + 16) * pitch_a + j] * known;
  }
  b[half_lane * pitch_b + col] = upper;
  b[(half_lane + 16) * pitch_b + col] = lower;
  __syncthreads();
  for (int i = t; i < rows_at_once * cols_at_once; i += 256) {
    const int row = i / cols_at_once, c = i % cols_at_once;
    if (row < m && first + c < n) B[at(row, first + c, ldb)] = b[row * pitch_b + c];
  }
}

// What B holds must not come in where alpha is 0.
__global__ void multiply_by_alpha(int m, int n, double alpha, double* B, int ldb) {
  const int col = blockIdx.x * 128 + threadIdx.x;
  if (col >= n) return;
  for (int row = 0; row < m; ++row) {
    double& b = B[at(row, col, ldb)];
    b = alpha == 0.0 ? 0.0 : b * alpha;
  }
}

enum class Way { shared, shuffle };

static cudaError_t small_solve(Way way, int m, int n, const double* A, int lda, double* B,
                               int ldb) {
  const unsigned blocks = (unsigned(n) + cols_at_once - 1) / cols_at_once;
  const std::size_t bytes = (rows_at_once * pitch_a + rows_at_once * pitch_b) * sizeof(double);
  if (way == Way::shared) {
    forward_shared<<<blocks, dim3(cols_at_once, rows_at_once), bytes>>>(m, n, A, lda, B, ldb);
  } else {
    forward_shuffle<<<blocks, 256, bytes>>>(m, n, A, lda, B, ldb);
  }
  return cudaGetLastError();
}

static cudaError_t sweep(int m, int n, const double* A, int lda, double* B, int ldb) {
  int todo = m;
  while (todo > 0) {
    const int rows = todo < rows_at_once ? todo : rows_at_once;
    cudaError_t status = small_solve(Way::shuffle, rows, n, A, lda, B, ldb);
    if (status != cudaSuccess) return status;
    todo -= rows;
    if (todo == 0) break;
    double* const next = B + at(rows, 0, ldb);
    status = dgemm_global(todo, n, rows, -1.0, A + at(rows, 0, lda), lda, B, ldb, 1.0, next, ldb);
    if (status != cudaSuccess) return status;
    A += at(rows, rows, lda);
    B = next;
  }
  return cudaSuccess;
}

static cudaError_t descend(int m, int n, const double* A, int lda, double* B, int ldb) {
  if (m <= 64) return sweep(m, n, A, lda, B, ldb);
  int cut = 64;
  while (2 * cut < m) cut *= 2;
  double* const lower = B + at(cut, 0, ldb);
  cudaError_t status = descend(cut, n, A, lda, B, ldb);
  if (status != cudaSuccess) return status;
  status = dgemm_shared(m - cut, n, cut, -1.0, A + at(cut, 0, lda), lda, B, ldb, 1.0, lower, ldb);
  if (status != cudaSuccess) return status;
  return descend(m - cut, n, A + at(cut, cut, lda), lda, lower, ldb);
}

enum class Rest { nothing, refuse, solve };

// Everything that does not depend on the way to solve it.
static Rest prepare(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (m < 0 || n < 0 || lda < m || ldb < n) return Rest::refuse;
  if (m == 0 || n == 0) return Rest::nothing;
  if (!A || !B) return Rest::refuse;
  if (alpha != 1.0) multiply_by_alpha<<<(n - 1) / 128 + 1, 128>>>(m, n, alpha, B, ldb);
  return alpha == 0.0 ? Rest::nothing : Rest::solve;
}

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  switch (prepare(32, n, alpha, A, lda, B, ldb)) {
    case Rest::refuse:
      return cudaErrorInvalidValue;
    case Rest::nothing:
      return cudaGetLastError();
    default:
      return small_solve(Way::shared, 32, n, A, lda, B, ldb);
  }
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  switch (prepare(32, n, alpha, A, lda, B, ldb)) {
    case Rest::refuse:
      return cudaErrorInvalidValue;
    case Rest::nothing:
      return cudaGetLastError();
    default:
      return small_solve(Way::shuffle, 32, n, A, lda, B, ldb);
  }
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  switch (prepare(m, n, alpha, A, lda, B, ldb)) {
    case Rest::refuse:
      return cudaErrorInvalidValue;
    case Rest::nothing:
      return cudaGetLastError();
    default:
      return sweep(m, n, A, lda, B, ldb);
  }
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  switch (prepare(m, n, alpha, A, lda, B, ldb)) {
    case Rest::refuse:
      return cudaErrorInvalidValue;
    case Rest::nothing:
      return cudaGetLastError();
    default:
      return descend(m, n, A, lda, B, ldb);
  }
}
