// Matrices as views, loops over a block's elements as lambdas, tiles of 64 x 64 with 4 x 4
// neighbouring results a thread, A by columns, and loads beyond the edge that fetch the last
// element once more.
#include "dgemm.hpp"

#include <cstddef>

template <typename T>
struct View {
  T* elements;
  int rows, cols, distance;

  __device__ T& at(int row, int col) const { return elements[std::size_t(row) * distance + col]; }

  __device__ double within(int row, int col) const {
    return at(min(row, rows - 1), min(col, cols - 1));
  }

  __device__ bool holds(int row, int col) const { return row < rows && col < cols; }
};

// What becomes of a sum.
struct Scaling {
  double alpha, beta;

  __device__ void operator()(double& c, double sum) const {
    double scaled = alpha * sum;
    if (beta != 0) scaled += beta * c;
    c = scaled;
  }
};

template <int Height, int Width, typename Body>
__device__ void for_each_element(Body body) {
  for (int i = threadIdx.x; i < Height * Width; i += blockDim.x) body(i / Width, i % Width);
}

__global__ void each_for_itself(View<const double> A, View<const double> B, View<double> C,
                                Scaling scale) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  for (int row = blockIdx.y; C.holds(row, col); row += gridDim.y) {
    double sum = 0;
    for (int i = A.cols - 1; i >= 0; --i) sum = fma(A.at(row, i), B.at(i, col), sum);
    scale(C.at(row, col), sum);
  }
}

constexpr int edge = 64, depth = 8, results = 4, threads_along = edge / results;

__global__ void by_tiles(View<const double> A, View<const double> B, View<double> C,
                         Scaling scale) {
  __shared__ double As[depth][edge + 1];  // (k, row)
  __shared__ double Bs[depth][edge];      // (k, col)
  const int row0 = blockIdx.y * edge, col0 = blockIdx.x * edge;
  const int own_row = int(threadIdx.x) / threads_along * results;
  const int own_col = int(threadIdx.x) % threads_along * results;
  double sums[results][results] = {};
  for (int first = 0; first < A.cols; first += depth) {
    // Beyond k one factor has to be zero.
    for_each_element<edge, depth>([&](int row, int i) {
      As[i][row] = first + i < A.cols ? A.within(row0 + row, first + i) : 0.0;
    });
    for_each_element<depth, edge>([&](int i, int col) {
      Bs[i][col] = first + i < A.cols ? B.within(first + i, col0 + col) : 0.0;
    });
    __syncthreads();
    for (int i = 0; i < depth; ++i) {
      for (int y = 0; y < results; ++y) {
        for (int x = 0; x < results; ++x) sums[y][x] += As[i][own_row + y] * Bs[i][own_col + x];
      }
    }
    __syncthreads();
  }
  for (int y = 0; y < results; ++y) {
    for (int x = 0; x < results; ++x) {
      const int row = row0 + own_row + y, col = col0 + own_col + x;
      if (C.holds(row, col)) scale(C.at(row, col), sums[y][x]);
    }
  }
}

template <typename Launch>
static cudaError_t dgemm(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc, Launch launch) {
  if (m < 0 || n < 0 || k < 0) return cudaErrorInvalidValue;
  if (lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  const int terms = alpha == 0 ? 0 : k;
  if (!C || (terms > 0 && (!A || !B))) return cudaErrorInvalidValue;
  launch(View<const double>{A, m, terms, lda}, View<const double>{B, terms, n, ldb},
         View<double>{C, m, n, ldc}, Scaling{alpha, beta});
  return cudaGetLastError();
}

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  return dgemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
               [](auto left, auto right, auto to, Scaling scale) {
                 constexpr int threads = 128;
                 const dim3 grid((to.cols - 1) / threads + 1, to.rows < 512 ? to.rows : 512);
                 each_for_itself<<<grid, threads>>>(left, right, to, scale);
               });
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  return dgemm(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc,
               [](auto left, auto right, auto to, Scaling scale) {
                 const dim3 grid((to.cols - 1) / edge + 1, (to.rows - 1) / edge + 1);
                 by_tiles<<<grid, threads_along * threads_along>>>(left, right, to, scale);
               });
}
