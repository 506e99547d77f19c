// Compiled twice: as the fast build of a submission is, and as the checked one.

#include "products.hpp"

#ifdef TILEWISE_CHECKED
namespace checked {
#else
namespace fast {
#endif

namespace {

constexpr int tile = 16;

__global__ void tiled(const float* A, const float* B, float* C, int n) {
  __shared__ float As[tile][tile], Bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, col = blockIdx.x * tile + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += tile) {
    As[ty][tx] = A[row * n + k0 + tx];
    Bs[ty][tx] = B[(k0 + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

/// As above, without shared memory or barriers.
__global__ void naive(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

}  // namespace

void tiled_product(const float* A, const float* B, float* C, int n) {
  tiled<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(A, B, C, n);
}

void naive_product(const float* A, const float* B, float* C, int n) {
  naive<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(A, B, C, n);
}

}  // namespace fast or checked
