// Tiles as objects, the first of which takes what is left over of k; two warps side by side in a
// block, each with 32 x 64 results, and four blocks on a multiprocessor.
#include "dgemm_tensor.hpp"

#include <cuda/pipeline>

#include "tilewise/ptx.hpp"

namespace {

constexpr int kRows = 64, kCols = 64, kDepth = 16, kThreads = 64;

struct Product {
  int m, n, k;
  double alpha, beta;
  const double *A, *B;
  double* C;
  std::size_t lda, ldb, ldc;
};

struct Tiles {
  double a[kRows][kDepth + 4];
  double b[kDepth][kCols + 4];
};

using Pipe = cuda::pipeline<cuda::thread_scope_thread>;

__device__ void copy(double* to, const double* from, bool exists, Pipe& pipe) {
  if (exists) {
    cuda::memcpy_async(to, from, cuda::aligned_size_t<8>(8), pipe);
  } else {
    *to = 0;
  }
}

__device__ void bring(Tiles& tiles, const Product& p, int row0, int col0, int k0, int deep,
                      Pipe& pipe) {
  pipe.producer_acquire();
#pragma unroll 8
  for (int i = threadIdx.x; i < kRows * kDepth; i += kThreads) {
    const int row = i / kDepth, q = i % kDepth;
    copy(&tiles.a[row][q], p.A + (row0 + row) * p.lda + k0 + q, row0 + row < p.m && q < deep, pipe);
  }
#pragma unroll 8
  for (int q = 0; q < kDepth; ++q) {
    const int col = threadIdx.x;
    copy(&tiles.b[q][col], p.B + (k0 + q) * p.ldb + col0 + col, q < deep && col0 + col < p.n, pipe);
  }
  pipe.producer_commit();
}

__global__ __launch_bounds__(kThreads, 4) void ring(Product p) {
  __shared__ Tiles tiles[2];
  const int lane = threadIdx.x % 32, right = threadIdx.x / 32 * 32, g = lane / 4, t = lane % 4;
  const int row0 = blockIdx.y * kRows, col0 = blockIdx.x * kCols;
  auto pipe = cuda::make_pipeline();
  const int steps = (p.k + kDepth - 1) / kDepth;
  const int first = p.k - (steps - 1) * kDepth;
  double d[4][4][4] = {};
  if (steps > 0) bring(tiles[0], p, row0, col0, 0, first, pipe);
  for (int step = 0; step < steps; ++step) {
    cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
    if (step + 1 < steps) {
      bring(tiles[(step + 1) % 2], p, row0, col0, first + step * kDepth, kDepth, pipe);
    }
    const Tiles& now = tiles[step % 2];
#pragma unroll
    for (int q = 0; q < kDepth; q += 8) {
      double b[4][2];
#pragma unroll
      for (int j = 0; j < 8; ++j) b[j / 2][j % 2] = now.b[q + j % 2 * 4 + t][right + j / 2 * 8 + g];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        double a[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) a[e] = now.a[i * 16 + e % 2 * 8 + g][q + e / 2 * 4 + t];
#pragma unroll
        for (int j = 0; j < 4; ++j) tilewise::ptx::mma_m16n8k8_f64(d[i][j], a, b[j]);
      }
    }
  }
#pragma unroll
  for (int e = 0; e < 64; ++e) {
    const int i = e / 16, j = e / 4 % 4;
    const int row = row0 + i * 16 + e / 2 % 2 * 8 + g, col = col0 + right + j * 8 + 2 * t + e % 2;
    if (row >= p.m || col >= p.n) continue;
    double& c = p.C[row * p.ldc + col];
    c = p.beta == 0 ? p.alpha * d[i][j][e % 4] : p.alpha * d[i][j][e % 4] + p.beta * c;
  }
}

}  // namespace

cudaError_t dgemm_tensor(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < k || ldb < n || ldc < n) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  const Product p = {m,
                     n,
                     alpha == 0 ? 0 : k,
                     alpha,
                     beta,
                     A,
                     B,
                     C,
                     std::size_t(lda),
                     std::size_t(ldb),
                     std::size_t(ldc)};
  if (!C || (p.k > 0 && (!A || !B))) return cudaErrorInvalidValue;
  ring<<<dim3((n - 1) / kCols + 1, (m - 1) / kRows + 1), kThreads>>>(p);
  return cudaGetLastError();
}
