// Compiled as the fast build of a submission is, as the checked one, by clang with its kernels
// split at their barriers, and for HIP-CPU.

#include "products.hpp"

#ifdef TILEWISE_HIP_CPU
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#if defined(TILEWISE_CHECKED)
namespace checked {
#elif defined(TILEWISE_HIP_CPU)
namespace hip_cpu {
#elif defined(TILEWISE_SPLIT)
namespace by_clang {
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

#ifdef TILEWISE_HIP_CPU  // which has no `<<<`, and runs kernels beside the host

static void run(decltype(tiled)* kernel, const float* A, const float* B, float* C, int n) {
  hipLaunchKernelGGL(kernel, dim3(n / tile, n / tile), dim3(tile, tile), 0, nullptr, A, B, C, n);
  hipDeviceSynchronize();
}

void tiled_product(const float* A, const float* B, float* C, int n) { run(tiled, A, B, C, n); }
void naive_product(const float* A, const float* B, float* C, int n) { run(naive, A, B, C, n); }

#else

void tiled_product(const float* A, const float* B, float* C, int n) {
  tiled<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(A, B, C, n);
}

void naive_product(const float* A, const float* B, float* C, int n) {
  naive<<<dim3(n / tile, n / tile), dim3(tile, tile)>>>(A, B, C, n);
}

#endif

}  // namespace fast, checked, by_clang or hip_cpu
