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

template <int Tile>
__global__ void put2014_prefetch_shared_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float next_a[Tile][Tile], next_b[Tile][Tile], As[Tile][Tile], Bs[Tile][Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * Tile + ty, col = blockIdx.x * Tile + tx;
  float sum = 0;
  next_a[ty][tx] = A[row * n + tx];
  next_b[ty][tx] = B[ty * n + col];
  for (int k0 = 0; k0 < n; k0 += Tile) {
    As[ty][tx] = next_a[ty][tx];
    Bs[ty][tx] = next_b[ty][tx];
    __syncthreads();
    if (k0 + Tile < n) {  // the document's goes beyond the end in its last step
      next_a[ty][tx] = A[row * n + k0 + Tile + tx];
      next_b[ty][tx] = B[(k0 + Tile + ty) * n + col];
    }
    for (int k = 0; k < Tile; ++k) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}

template <int Tile>
__global__ void put2014_2x2_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ float As[2 * Tile][Tile], Bs[Tile][2 * Tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = (blockIdx.y * Tile + ty) * 2, col = (blockIdx.x * Tile + tx) * 2;
  float sum[2][2] = {};
  float a[2] = {A[row * n + tx], A[(row + 1) * n + tx]};
  float b[2] = {B[ty * n + col], B[ty * n + col + 1]};
  for (int k0 = 0; k0 < n; k0 += Tile) {
    for (int i = 0; i < 2; ++i) As[2 * ty + i][tx] = a[i];
    for (int j = 0; j < 2; ++j) Bs[ty][2 * tx + j] = b[j];
    __syncthreads();
    if (k0 + Tile < n) {
      for (int i = 0; i < 2; ++i) a[i] = A[(row + i) * n + k0 + Tile + tx];
      for (int j = 0; j < 2; ++j) b[j] = B[(k0 + Tile + ty) * n + col + j];
    }
    // A loop over k for each result: both factors of each product come from shared memory.
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        for (int k = 0; k < Tile; ++k) sum[i][j] += As[2 * ty + i][k] * Bs[k][2 * tx + j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) C[(row + i) * n + col + j] = sum[i][j];
  }
}

using Put2014Kernel = void(const float*, const float*, float*, int);

/// @param kernels with a tile of 8 and of 16
bool launch_put2014(Put2014Kernel* const (&kernels)[2], const float* A, const float* B, float* C,
                    int n, int tile, int results) {
  if (tile != 8 && tile != 16) return false;
  const unsigned blocks = n / (tile * results);
  const auto kernel = kernels[tile == 16];
  kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return true;
}

}  // namespace

void muni2009_rank1(const float* A, const float* B, float* C, int n) {
  muni2009_rank1_kernel<<<dim3(n / 64, n / 16), 64>>>(A, B, C, n);
}

bool put2014_prefetch_shared(const float* A, const float* B, float* C, int n, int tile) {
  return launch_put2014({put2014_prefetch_shared_kernel<8>, put2014_prefetch_shared_kernel<16>}, A,
                        B, C, n, tile, 1);
}

bool put2014_2x2(const float* A, const float* B, float* C, int n, int tile) {
  return launch_put2014({put2014_2x2_kernel<8>, put2014_2x2_kernel<16>}, A, B, C, n, tile, 2);
}

}  // namespace tilewise::simt
