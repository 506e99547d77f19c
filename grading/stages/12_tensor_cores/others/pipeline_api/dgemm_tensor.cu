// Copies by the functions of cuda_pipeline.h, and the mma of compute capability 8.0, 8 x 8 x 4.
#include "dgemm_tensor.hpp"

#include <cuda_pipeline.h>

#include "tilewise/ptx.hpp"

namespace {

constexpr int side = 64, deep = 16;

__global__ __launch_bounds__(128) void kernel(int m, int n, int k, double alpha, const double* A,
                                              std::size_t lda, const double* B, std::size_t ldb,
                                              double beta, double* C, std::size_t ldc) {
  __shared__ __align__(16) double As[2][side][deep + 4];
  __shared__ __align__(16) double Bs[2][deep][side + 4];
  const int lane = threadIdx.x, warp = threadIdx.y, thread = warp * 32 + lane;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const auto fetch = [&](int k0, int which) {
    for (int i = thread; i < side * deep; i += 128) {
      const int row = i / deep, q = i % deep;
      if (row0 + row < m && k0 + q < k) {
        __pipeline_memcpy_async(&As[which][row][q], &A[(row0 + row) * lda + k0 + q], 8);
      } else {
        As[which][row][q] = 0;
      }
    }
    for (int i = thread; i < side * deep; i += 128) {
      const int q = i / side, col = i % side;
      if (k0 + q < k && col0 + col < n) {
        __pipeline_memcpy_async(&Bs[which][q][col], &B[(k0 + q) * ldb + col0 + col], 8);
      } else {
        Bs[which][q][col] = 0;
      }
    }
    __pipeline_commit();
  };
  const int row = warp / 2 * 32, col = warp % 2 * 32;
  double d[4][4][2] = {};
  if (k > 0) fetch(0, 0);
  for (int k0 = 0, which = 0; k0 < k; k0 += deep, which ^= 1) {
    const bool more = k0 + deep < k;
    if (more) fetch(k0 + deep, which ^ 1);
    __pipeline_wait_prior(more ? 1 : 0);
    __syncthreads();
    for (int q = 0; q < deep; q += 4) {
      double a[4], b[4];
      for (int i = 0; i < 4; ++i) {
        a[i] = As[which][row + 8 * i + lane / 4][q + lane % 4];
        b[i] = Bs[which][q + lane % 4][col + 8 * i + lane / 4];
      }
      for (int i = 0; i < 16; ++i) {
        tilewise::ptx::mma_m8n8k4_f64(d[i / 4][i % 4], a[i / 4], b[i % 4]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 32; ++i) {
    const int r = row0 + row + i / 8 * 8 + lane / 4,
              c = col0 + col + i / 2 % 4 * 8 + lane % 4 * 2 + i % 2;
    if (r >= m || c >= n) continue;
    const double old = beta == 0 ? 0 : beta * C[r * ldc + c];
    C[r * ldc + c] = alpha * d[i / 8][i / 2 % 4][i % 2] + old;
  }
}

}  // namespace

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (alpha == 0) k = 0;
  if (!C || (k > 0 && (!A || !B))) return cudaErrorInvalidValue;
  const dim3 grid((n - 1) / side + 1, (m - 1) / side + 1);
  kernel<<<grid, dim3(32, 4)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  return cudaGetLastError();
}
