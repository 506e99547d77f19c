// Few blocks that walk over the tiles of C, operands straight from padded tiles, and the largest
// mma of doubles, 16 x 8 x 16.
#include "dgemm_tensor.hpp"

#include "tilewise/ptx.hpp"

namespace {

constexpr int side = 64, deep = 16, most_blocks = 264;

struct View {
  const double* at;
  long long distance;
  int rows, cols;
  __device__ bool has(int row, int col) const { return row < rows && col < cols; }
  __device__ const double* operator()(int row, int col) const { return at + row * distance + col; }
};

__global__ __launch_bounds__(128) void walk(View A, View B, double alpha, double beta, double* C,
                                            long long ldc) {
  __shared__ double a_tile[2][side][deep + 4];
  __shared__ double b_tile[2][deep][side + 4];
  const int m = A.rows, n = B.cols, k = A.cols;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int down = warp / 2 * 32, right = warp % 2 * 32;
  const int across = (n - 1) / side + 1, tiles = across * ((m - 1) / side + 1);
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int row0 = tile / across * side, col0 = tile % across * side;
    const auto fetch = [&](int k0) {
      const int which = k0 / deep % 2;
      for (int i = threadIdx.x; i < side * deep; i += 128) {
        const int row = row0 + i / deep, q = k0 + i % deep, p = k0 + i / side,
                  col = col0 + i % side;
        tilewise::ptx::cp_async<8>(&a_tile[which][i / deep][i % deep], A(row, q),
                                   A.has(row, q) ? 8 : 0);
        tilewise::ptx::cp_async<8>(&b_tile[which][i / side][i % side], B(p, col),
                                   B.has(p, col) ? 8 : 0);
      }
      tilewise::ptx::cp_async_commit();
    };
    double d[2][4][4] = {};
    if (k > 0) fetch(0);
    for (int k0 = 0; k0 < k; k0 += deep) {
      tilewise::ptx::cp_async_wait<0>();
      __syncthreads();
      if (k0 + deep < k) fetch(k0 + deep);
      const auto& a_now = a_tile[k0 / deep % 2];
      const auto& b_now = b_tile[k0 / deep % 2];
      for (int i = 0; i < 2; ++i) {
        double a[8];
        for (int e = 0; e < 8; ++e) a[e] = a_now[down + i * 16 + g + e % 2 * 8][t + e / 2 * 4];
        for (int j = 0; j < 4; ++j) {
          double b[4];
          for (int e = 0; e < 4; ++e) b[e] = b_now[t + e * 4][right + j * 8 + g];
          tilewise::ptx::mma_m16n8k16_f64(d[i][j], a, b);
        }
      }
    }
    __syncthreads();
    for (int e = 0; e < 32; ++e) {
      const int row = row0 + down + e / 16 * 16 + e / 2 % 2 * 8 + g;
      const int col = col0 + right + e / 4 % 4 * 8 + 2 * t + e % 2;
      if (row >= m || col >= n) continue;
      double& to = C[row * ldc + col];
      const double product = alpha * d[e / 16][e / 4 % 4][e % 4];
      to = beta == 0 ? product : product + beta * to;
    }
  }
}

}  // namespace

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;
  if (!C || (k > 0 && (!A || !B))) return cudaErrorInvalidValue;
  const long long tiles = ((n - 1ll) / side + 1) * ((m - 1ll) / side + 1);
  walk<<<unsigned(tiles < most_blocks ? tiles : most_blocks), 128>>>({A, lda, m, k}, {B, ldb, k, n},
                                                                     alpha, beta, C, ldc);
  return cudaGetLastError();
}
