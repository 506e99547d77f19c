// Copies by the functions of cuda_pipeline.h, two tiles in turns, and mma of 16 x 8 x 4.
#include "dgemm_tensor.hpp"

#include <cuda_pipeline.h>

#include "tilewise/ptx.hpp"

namespace {

constexpr int side = 64, deep = 16;

// Copies pairs of doubles where rows begin at multiples of 16 bytes. An odd last one goes alone.
template <int run>
__device__ void copy(double* to, const double* from, int there) {
  if (there >= run) {
    __pipeline_memcpy_async(to, from, 8 * run);
    return;
  }
  for (int i = 0; i < run; ++i) to[i] = i < there ? from[i] : 0.0;
}

template <int run>
__global__ __launch_bounds__(128, 4) void kernel(int m, int n, int k, double alpha, const double* A,
                                                 std::size_t lda, const double* B, std::size_t ldb,
                                                 double beta, double* C, std::size_t ldc) {
  __shared__ __align__(16) double As[2][side][deep + 4];
  __shared__ __align__(16) double Bs[2][deep][side + 4];
  const int lane = threadIdx.x, warp = threadIdx.y, thread = warp * 32 + lane;
  const int row0 = blockIdx.y * side, col0 = blockIdx.x * side;
  const auto fetch = [&](int k0, int which) {
#pragma unroll
    for (int i = thread; i < side * deep / run; i += 128) {
      const int row = i / (deep / run), q = i % (deep / run) * run;
      const int there = row0 + row < m ? k - k0 - q : 0;
      copy<run>(&As[which][row][q], there > 0 ? &A[(row0 + row) * lda + k0 + q] : A, there);
    }
#pragma unroll
    for (int i = thread; i < side * deep / run; i += 128) {
      const int q = i / (side / run), col = i % (side / run) * run;
      const int there = k0 + q < k ? n - col0 - col : 0;
      copy<run>(&Bs[which][q][col], there > 0 ? &B[(k0 + q) * ldb + col0 + col] : B, there);
    }
    __pipeline_commit();
  };
  const int row = warp / 2 * 32, col = warp % 2 * 32;
  double d[2][4][4] = {};
  if (k > 0) fetch(0, 0);
  for (int k0 = 0, which = 0; k0 < k; k0 += deep, which ^= 1) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k0 + deep < k) fetch(k0 + deep, which ^ 1);
#pragma unroll
    for (int q = 0; q < deep; q += 4) {
      double a[2][2], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i / 2][i % 2] = As[which][row + 8 * i + lane / 4][q + lane % 4];
        b[i] = Bs[which][q + lane % 4][col + 8 * i + lane / 4];
      }
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        tilewise::ptx::mma_m16n8k4_f64(d[i / 4][i % 4], a[i / 4], b[i % 4]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    const int r = row0 + row + i / 16 * 16 + i / 2 % 2 * 8 + lane / 4,
              c = col0 + col + i / 4 % 4 * 8 + lane % 4 * 2 + i % 2;
    if (r >= m || c >= n) continue;
    const double old = beta == 0 ? 0 : beta * C[r * ldc + c];
    C[r * ldc + c] = alpha * d[i / 16][i / 4 % 4][i % 4] + old;
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
  const auto bits = reinterpret_cast<std::size_t>(A) | reinterpret_cast<std::size_t>(B);
  const bool in_pairs = lda % 2 == 0 && ldb % 2 == 0 && bits % 16 == 0;
  (in_pairs ? kernel<2> : kernel<1>)<<<grid, dim3(32, 4)>>>(m, n, k, alpha, A, lda, B, ldb, beta, C,
                                                            ldc);
  return cudaGetLastError();
}
