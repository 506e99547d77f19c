// Fragments of doubles, 8 x 8 x 4, from tiles that are fetched through registers; C by way of
// shared memory.
#include "dgemm_tensor.hpp"

#include <mma.h>

using namespace nvcuda;

namespace {

constexpr int edge = 64, depth = 8;

struct Arguments {
  int m, n, k;
  double alpha;
  const double* A;
  long long lda;
  const double* B;
  long long ldb;
  double beta;
  double* C;
  long long ldc;
};

__global__ void kernel(Arguments with) {
  __shared__ __align__(32) double a_tile[edge][depth + 4];
  __shared__ __align__(32) double b_tile[depth][edge + 8];
  __shared__ __align__(32) double c_tile[4][8][8];
  const auto [m, n, k, alpha, A, lda, B, ldb, beta, C, ldc] = with;
  const int thread = threadIdx.x, warp = thread / 32;
  const int first_row = blockIdx.y * edge, first_col = blockIdx.x * edge;
  const int down = warp / 2 * 32, right = warp % 2 * 32;  // 32 x 32 results a warp

  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum[4][4];
  for (auto& row : sum) {
    for (auto& each : row) wmma::fill_fragment(each, 0.0);
  }
  for (int k0 = 0; k0 < k; k0 += depth) {
    for (int i = thread; i < edge * depth; i += 128) {
      const int row = first_row + i / depth, q = k0 + i % depth;
      a_tile[i / depth][i % depth] = row < m && q < k ? A[row * lda + q] : 0.0;
      const int p = k0 + i / edge, col = first_col + i % edge;
      b_tile[i / edge][i % edge] = p < k && col < n ? B[p * ldb + col] : 0.0;
    }
    __syncthreads();
    for (int q = 0; q < depth; q += 4) {
      wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> b[4];
      for (int j = 0; j < 4; ++j) {
        wmma::load_matrix_sync(b[j], &b_tile[q][right + 8 * j], edge + 8);
      }
      for (int i = 0; i < 4; ++i) {
        wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> a;
        wmma::load_matrix_sync(a, &a_tile[down + 8 * i][q], depth + 4);
        for (int j = 0; j < 4; ++j) wmma::mma_sync(sum[i][j], a, b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 16; ++i) {
    wmma::store_matrix_sync(&c_tile[warp][0][0], sum[i / 4][i % 4], 8, wmma::mem_row_major);
    __syncwarp();
    for (int e = thread % 32; e < 64; e += 32) {
      const int row = first_row + down + i / 4 * 8 + e / 8,
                col = first_col + right + i % 4 * 8 + e % 8;
      if (row >= m || col >= n) continue;
      double& to = C[row * ldc + col];
      const double product = alpha * c_tile[warp][e / 8][e % 8];
      to = beta == 0 ? product : product + beta * to;
    }
    __syncwarp();
  }
}

}  // namespace

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;
  if (!C || (k > 0 && (!A || !B))) return cudaErrorInvalidValue;
  const dim3 grid((n + edge - 1) / edge, (m + edge - 1) / edge);
  kernel<<<grid, 128>>>({m, n, k, alpha, A, lda, B, ldb, beta, C, ldc});
  return cudaGetLastError();
}
