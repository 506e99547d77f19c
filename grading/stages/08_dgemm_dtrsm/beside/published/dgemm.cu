// DGEMM as fing2020 has it: blocks of 32 x 32 threads, one result each, from global memory and from
// tiles of 32 x 32. alpha is not 0.
#include "dgemm.hpp"

#include <cstddef>

constexpr int tile = 32;

static __device__ void store(double* c, double alpha, double sum, double beta) {
  *c = beta == 0 ? alpha * sum : alpha * sum + beta * *c;  // C that is not read may hold NaN
}

__global__ void fing2020_global_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                                       const double* B, int ldb, double beta, double* C, int ldc) {
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  if (row >= m || col >= n) return;
  double sum = 0;
  for (int q = 0; q < k; ++q) sum += A[std::size_t(row) * lda + q] * B[std::size_t(q) * ldb + col];
  store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

__global__ void fing2020_shared_kernel(int m, int n, int k, double alpha, const double* A, int lda,
                                       const double* B, int ldb, double beta, double* C, int ldc) {
  __shared__ double As[tile][tile], Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  double sum = 0;
  for (int k0 = 0; k0 < k; k0 += tile) {
    As[ty][tx] = row < m && k0 + tx < k ? A[std::size_t(row) * lda + k0 + tx] : 0.0;
    Bs[ty][tx] = k0 + ty < k && col < n ? B[std::size_t(k0 + ty) * ldb + col] : 0.0;
    __syncthreads();
    for (int q = 0; q < tile; ++q) sum += As[ty][q] * Bs[q][tx];
    __syncthreads();
  }
  if (row < m && col < n) store(&C[std::size_t(row) * ldc + col], alpha, sum, beta);
}

static dim3 grid_of(int m, int n) { return dim3((n + tile - 1) / tile, (m + tile - 1) / tile); }

cudaError_t dgemm_global(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m == 0 || n == 0) return cudaSuccess;
  fing2020_global_kernel<<<grid_of(m, n), dim3(tile, tile)>>>(m, n, k, alpha, A, lda, B, ldb, beta,
                                                              C, ldc);
  return cudaGetLastError();
}

cudaError_t dgemm_shared(int m, int n, int k, double alpha, const double* A, int lda,
                         const double* B, int ldb, double beta, double* C, int ldc) {
  if (m == 0 || n == 0) return cudaSuccess;
  fing2020_shared_kernel<<<grid_of(m, n), dim3(tile, tile)>>>(m, n, k, alpha, A, lda, B, ldb, beta,
                                                              C, ldc);
  return cudaGetLastError();
}
