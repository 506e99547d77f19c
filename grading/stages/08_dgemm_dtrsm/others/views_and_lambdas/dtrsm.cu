// Matrices as views, loops over parts of them as lambdas. Four rows a thread in shared memory, four
// columns a warp by shuffles; a sweep that brings each block up to date when its turn comes; and a
// recursion down to 32 rows.
#include "dtrsm.hpp"

#include <cstddef>

#include "dgemm.hpp"

namespace {

constexpr int side = 32;

template <typename T>
struct View {
  T* first;
  int rows, cols, distance;

  __host__ __device__ T* place(int row, int col) const {
    return first + static_cast<std::ptrdiff_t>(row) * distance + col;
  }

  __device__ bool holds(int row, int col) const { return row < rows && col < cols; }

  __host__ __device__ View part(int row, int col, int height, int width) const {
    return {place(row, col), height, width, distance};
  }
};

using Factor = View<const double>;
using Unknowns = View<double>;

struct Square {
  double values[side][side + 1];
};

// Body for all elements of a square, neighbouring threads beside each other.
template <typename Body>
__device__ void for_each_place(Body body) {
  const int threads = blockDim.x * blockDim.y;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < side * side; i += threads) {
    body(i / side, i % side);
  }
}

// Rows that A does not have are those of the unit matrix.
__device__ void fetch_triangle(Square& to, Factor A) {
  for_each_place([&](int row, int col) {
    if (col > row) return;
    to.values[row][col] = row < A.rows ? *A.place(row, col) : double(row == col);
  });
}

__global__ void known_in_shared_memory(double alpha, Factor A, Unknowns B) {
  __shared__ Square triangle;
  __shared__ double known[2][side];  // in turns: one barrier for each of them
  constexpr int each = 4;            // rows of a thread, eight apart
  const int tx = threadIdx.x, ty = threadIdx.y, step = blockDim.y;
  const int col = blockIdx.x * side + tx;
  const auto for_own_rows = [&](auto body) {
    for (int i = 0; i < each; ++i) body(i, ty + i * step);
  };
  double x[each];
  for_own_rows([&](int i, int row) { x[i] = B.holds(row, col) ? *B.place(row, col) * alpha : 0; });
  fetch_triangle(triangle, A);
  __syncthreads();
  for (int j = 0; j < side; ++j) {
    double* now = known[j % 2];
    for_own_rows([&](int i, int row) {
      if (row == j) now[tx] = x[i] = x[i] / triangle.values[j][j];
    });
    __syncthreads();
    for_own_rows([&](int i, int row) {
      if (row > j) x[i] -= triangle.values[row][j] * now[tx];
    });
  }
  for_own_rows([&](int i, int row) {
    if (B.holds(row, col)) *B.place(row, col) = x[i];
  });
}

__global__ void known_by_shuffles(double alpha, Factor A, Unknowns B) {
  __shared__ Square triangle, turned;
  constexpr int each = 4;  // columns of a warp
  const int lane = threadIdx.x, col0 = blockIdx.x * side;
  fetch_triangle(triangle, A);
  for_each_place([&](int row, int col) {
    turned.values[row][col] = B.holds(row, col0 + col) ? *B.place(row, col0 + col) : 0;
  });
  __syncthreads();
  const double inverse = 1 / triangle.values[lane][lane];
  for (int c = 0; c < each; ++c) {
    double& mine = turned.values[lane][threadIdx.y * each + c];
    double rest = alpha * mine;
    for (int j = 0; j < side - 1; ++j) {
      const double solved = __shfl_sync(0xffffffffu, rest * inverse, j);
      if (lane > j) rest -= triangle.values[lane][j] * solved;
    }
    mine = rest * inverse;
  }
  __syncthreads();
  for_each_place([&](int row, int col) {
    if (B.holds(row, col0 + col)) *B.place(row, col0 + col) = turned.values[row][col];
  });
}

__global__ void clear(Unknowns B) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            col = blockIdx.x * blockDim.x + threadIdx.x;
  if (B.holds(row, col)) *B.place(row, col) = 0;
}

int count(int elements, int size) { return (elements - 1) / size + 1; }

bool fits(int m, int n, const double* A, int lda, const double* B, int ldb) {
  if (m < 0 || n < 0 || lda < m || ldb < n) return false;
  return m == 0 || n == 0 || (A != nullptr && B != nullptr);
}

template <typename Solve>
cudaError_t with_rules_of_blas(int m, int n, double alpha, const double* A, int lda, double* B,
                               int ldb, Solve solve) {
  if (!fits(m, n, A, lda, B, ldb)) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  const Unknowns unknowns{B, m, n, ldb};
  if (alpha != 0) return solve(Factor{A, m, m, lda}, unknowns);
  clear<<<dim3(count(n, 32), count(m, 8)), dim3(32, 8)>>>(unknowns);
  return cudaGetLastError();
}

cudaError_t solve_block(double alpha, Factor A, Unknowns B) {
  known_by_shuffles<<<count(B.cols, side), dim3(side, 8)>>>(alpha, A, B);
  return cudaGetLastError();
}

// B = alpha * B - A * X
cudaError_t subtract(double alpha, Factor A, Unknowns X, Unknowns B) {
  return dgemm_shared(B.rows, B.cols, A.cols, -1, A.first, A.distance, X.first, X.distance, alpha,
                      B.first, B.distance);
}

cudaError_t solve_halves(double alpha, Factor A, Unknowns B) {
  if (B.rows <= side) return solve_block(alpha, A, B);
  const int top = count(B.rows, 2 * side) * side, rest = B.rows - top;
  const Unknowns above = B.part(0, 0, top, B.cols), below = B.part(top, 0, rest, B.cols);
  cudaError_t status = solve_halves(alpha, A.part(0, 0, top, top), above);
  if (status == cudaSuccess) status = subtract(alpha, A.part(top, 0, rest, top), above, below);
  if (status == cudaSuccess) status = solve_halves(1, A.part(top, top, rest, rest), below);
  return status;
}

}  // namespace

cudaError_t dtrsm_32_shared(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return with_rules_of_blas(side, n, alpha, A, lda, B, ldb, [&](Factor factor, Unknowns unknowns) {
    known_in_shared_memory<<<count(n, side), dim3(side, 8)>>>(alpha, factor, unknowns);
    return cudaGetLastError();
  });
}

cudaError_t dtrsm_32_shuffle(int n, double alpha, const double* A, int lda, double* B, int ldb) {
  return with_rules_of_blas(side, n, alpha, A, lda, B, ldb, [&](Factor factor, Unknowns unknowns) {
    return solve_block(alpha, factor, unknowns);
  });
}

cudaError_t dtrsm_blocked(int m, int n, double alpha, const double* A, int lda, double* B,
                          int ldb) {
  return with_rules_of_blas(m, n, alpha, A, lda, B, ldb, [&](Factor factor, Unknowns unknowns) {
    for (int row = 0; row < m; row += side) {
      const int rows = m - row < side ? m - row : side;
      const Unknowns block = unknowns.part(row, 0, rows, n);
      cudaError_t status = subtract(alpha, factor.part(row, 0, rows, row), unknowns, block);
      if (status == cudaSuccess) status = solve_block(1, factor.part(row, row, rows, rows), block);
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  });
}

cudaError_t dtrsm_recursive(int m, int n, double alpha, const double* A, int lda, double* B,
                            int ldb) {
  return with_rules_of_blas(m, n, alpha, A, lda, B, ldb, [&](Factor factor, Unknowns unknowns) {
    return solve_halves(alpha, factor, unknowns);
  });
}
