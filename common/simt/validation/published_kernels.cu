#include "common/simt/validation/published_kernels.hpp"

#include <cuda_runtime.h>

namespace tilewise::simt {

namespace {

// Each thread has a column of 16 results in registers and brings what it needs of B itself.
__global__ void muni2009_rank1_kernel(const float* A, const float* B, float* C, int n) {
  constexpr int edge = 16, threads = 64;
  __shared__ float As[edge][edge + 1];  // (k, row)
  const int t = threadIdx.x;
  const int row0 = blockIdx.y * edge, col = blockIdx.x * threads + t;
  float sum[edge] = {};
  for (int k0 = 0; k0 < n; k0 += edge) {
    for (int i = t / edge; i < edge; i += threads / edge) {
      As[t % edge][i] = A[(row0 + i) * n + k0 + t % edge];
    }
    __syncthreads();
    for (int k = 0; k < edge; ++k) {
      const float b = B[(k0 + k) * n + col];
      for (int i = 0; i < edge; ++i) sum[i] += As[k][i] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < edge; ++i) C[(row0 + i) * n + col] = sum[i];
}

constexpr int tile = 32;

__global__ void fing2020_global_kernel(int n, int k, double alpha, const double* A, const double* B,
                                       double beta, double* C) {
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  double sum = 0;
  for (int q = 0; q < k; ++q) sum += A[row * k + q] * B[q * n + col];
  C[row * n + col] = beta * C[row * n + col] + alpha * sum;
}

__global__ void fing2020_shared_kernel(int n, int k, double alpha, const double* A, const double* B,
                                       double beta, double* C) {
  __shared__ double As[tile][tile], Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  double sum = 0;
  for (int k0 = 0; k0 < k; k0 += tile) {
    As[ty][tx] = A[row * k + k0 + tx];
    Bs[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
    for (int q = 0; q < tile; ++q) sum += As[ty][q] * Bs[q][tx];
    __syncthreads();
  }
  C[row * n + col] = beta * C[row * n + col] + alpha * sum;
}

}  // namespace

void muni2009_rank1(const float* A, const float* B, float* C, int n) {
  muni2009_rank1_kernel<<<dim3(n / 64, n / 16), 64>>>(A, B, C, n);
}

void fing2020_dgemm_global(int m, int n, int k, double alpha, const double* A, const double* B,
                           double beta, double* C) {
  fing2020_global_kernel<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(n, k, alpha, A, B, beta,
                                                                         C);
}

void fing2020_dgemm_shared(int m, int n, int k, double alpha, const double* A, const double* B,
                           double beta, double* C) {
  fing2020_shared_kernel<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(n, k, alpha, A, B, beta,
                                                                         C);
}

}  // namespace tilewise::simt
