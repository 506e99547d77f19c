// A fixed number of blocks that walk along B, warps that wait for nobody else: each has a tile of
// its own, and its lanes a row of A each, in registers. Products by a kernel of its own.
#include "dtrsm.hpp"

#include <cstddef>

constexpr int lanes = 32;
constexpr int warps = 2;   // of a block
constexpr int width = 16;  // columns of B that a warp solves at a time
constexpr unsigned everybody = 0xffffffffu;

// Left of the diagonal, A[lane][0] to A[lane][lane - 1], zeros elsewhere, and the diagonal.
struct RowOfA {
  double left[lanes];
  double diagonal;
};

struct Workplace {
  double tile[lanes][lanes + 1];  // first rows of A, then of B

  __device__ void bring_row_of_a(RowOfA& row, int m, const double* A, int lda, int lane) {
    for (int r = 0; r < m; ++r) {
      if (lane <= r) tile[r][lane] = A[std::size_t(r) * lda + lane];
    }
    __syncwarp();
#pragma unroll
    for (int c = 0; c < lanes; ++c) row.left[c] = lane < m && c < lane ? tile[lane][c] : 0;
    row.diagonal = lane < m ? tile[lane][lane] : 1;
    __syncwarp();
  }

  // Two rows of 16 columns at a time.
  __device__ void bring_b(int m, int cols, double alpha, const double* B, int ldb, int lane) {
    const int col = lane % width;
    for (int row = lane / width; row < lanes; row += lanes / width) {
      tile[row][col] = row < m && col < cols ? alpha * B[std::size_t(row) * ldb + col] : 0;
    }
    __syncwarp();
  }

  __device__ void take_b_away(int m, int cols, double* B, int ldb, int lane) const {
    __syncwarp();
    const int col = lane % width;
    for (int row = lane / width; row < m; row += lanes / width) {
      if (col < cols) B[std::size_t(row) * ldb + col] = tile[row][col];
    }
    __syncwarp();
  }
};

template <bool Shuffled>
__global__ void walk(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  __shared__ Workplace places[warps];
  __shared__ double board[warps][2];  // an unknown, for all lanes to see, in turns
  const int lane = threadIdx.x, warp = threadIdx.y;
  Workplace& place = places[warp];
  RowOfA a;
  place.bring_row_of_a(a, m, A, lda, lane);
  const int stride = gridDim.x * warps * width;
  for (int col0 = (blockIdx.x * warps + warp) * width; col0 < n; col0 += stride) {
    const int cols = min(width, n - col0);
    place.bring_b(m, cols, alpha, B + col0, ldb, lane);
    for (int c = 0; c < cols; ++c) {
      double x = place.tile[lane][c];
#pragma unroll
      for (int j = 0; j < lanes; ++j) {
        if (lane == j) x /= a.diagonal;
        double known;
        if (Shuffled) {
          known = __shfl_sync(everybody, x, j);
        } else {
          if (lane == j) board[warp][j % 2] = x;
          __syncwarp();
          known = board[warp][j % 2];
        }
        x -= a.left[j] * known;  // nothing where j is not left of the diagonal
      }
      place.tile[lane][c] = x;
    }
    place.take_b_away(m, cols, B + col0, ldb, lane);
  }
}

// B = B - A * X; neighbouring threads have neighbouring columns.
__global__ void subtract_product(int m, int n, int k, const double* A, int lda, const double* X,
                                 int ldx, double scale, double* B, int ldb) {
  const std::size_t elements = std::size_t(m) * n;
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < elements;
       i += step) {
    const std::size_t row = i / n, col = i % n;
    double sum = scale * B[row * ldb + col];
    for (int q = 0; q < k; ++q) sum -= A[row * lda + q] * X[q * std::size_t(ldx) + col];
    B[row * ldb + col] = sum;
  }
}

__global__ void forget(int m, int n, double* B, int ldb) {
  for (int row = blockIdx.x; row < m; row += gridDim.x) {
    for (int col = threadIdx.x; col < n; col += blockDim.x) B[std::size_t(row) * ldb + col] = 0;
  }
}

// -1: to be refused; 0: done; 1: to be solved.
static int begin(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  if (m < 0 || n < 0 || lda < m || ldb < n) return -1;
  if (m == 0 || n == 0) return 0;
  if (A == nullptr || B == nullptr) return -1;
  if (alpha != 0) return 1;
  forget<<<16, 64>>>(m, n, B, ldb);
  return 0;
}

template <bool Shuffled>
static cudaError_t solve(int m, int n, double alpha, const double* A, int lda, double* B, int ldb) {
  const int tiles = (n - 1) / (warps * width) + 1;
  const int blocks = tiles < 8 ? tiles : 8;
  walk<Shuffled><<<blocks, dim3(lanes, warps)>>>(m, n, alpha, A, lda, B, ldb);
  return cudaGetLastError();
}

static cudaError_t subtract(int m, int n, int k, const double* A, int lda, const double* X, int ldx,
                            double scale, double* B, int ldb) {
  subtract_product<<<24, 128>>>(m, n, k, A, lda, X, ldx, scale, B, ldb);
  return cudaGetLastError();
}

// Halves, rounded down to whole blocks of 32.
static cudaError_t recurse(int m, int n, double alpha, const double* A, int lda, double* B,
                           int ldb) {
  if (m <= lanes) return solve<true>(m, n, alpha, A, lda, B, ldb);
  const int half = m < 2 * lanes ? lanes : m / (2 * lanes) * lanes;
  const double* below_a = A + std::size_t(half) * lda;
  double* below_b = B + std::size_t(half) * ldb;
  if (auto error = recurse(half, n, alpha, A, lda, B, ldb)) return error;
  if (auto error = subtract(m - half, n, half, below_a, lda, B, ldb, alpha, below_b, ldb)) {
    return error;
  }
  return recurse(m - half, n, 1, below_a + half, lda, below_b, ldb);
}

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  const int rest = begin(lanes, n, alpha, A, lda, B, ldb);
  if (rest < 0) return cudaErrorInvalidValue;
  return rest == 0 ? cudaGetLastError() : solve<false>(lanes, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  const int rest = begin(lanes, n, alpha, A, lda, B, ldb);
  if (rest < 0) return cudaErrorInvalidValue;
  return rest == 0 ? cudaGetLastError() : solve<true>(lanes, n, alpha, A, lda, B, ldb);
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  const int rest = begin(m, n, alpha, A, lda, B, ldb);
  if (rest < 0) return cudaErrorInvalidValue;
  if (rest == 0) return cudaGetLastError();
  for (int row = 0; row < m; row += lanes) {
    const int end = m - row < lanes ? m : row + lanes;
    const double* a = A + std::size_t(row) * lda + row;
    double* x = B + std::size_t(row) * ldb;
    const double scale = row == 0 ? alpha : 1;
    if (auto error = solve<true>(end - row, n, scale, a, lda, x, ldb)) return error;
    if (end == m) break;
    const std::size_t down = end - row;
    if (auto error = subtract(m - end, n, int(down), a + down * lda, lda, x, ldb, scale,
                              x + down * ldb, ldb)) {
      return error;
    }
  }
  return cudaSuccess;
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  const int rest = begin(m, n, alpha, A, lda, B, ldb);
  if (rest < 0) return cudaErrorInvalidValue;
  return rest == 0 ? cudaGetLastError() : recurse(m, n, alpha, A, lda, B, ldb);
}
