// A piece of a row of A is shared by the whole block, which computes that row of C together.

#include "matmul_single_block.hpp"

#define PIECE 64
#define THREADS (blockDim.x * blockDim.y)
#define THREAD (threadIdx.y * blockDim.x + threadIdx.x)

__global__ void row_after_row(const float* A, const float* B, float* C, const int n) {
  __shared__ float piece[PIECE];  // (k) of the row in hand
  for (size_t row = 0; row < n; row++) {
    // Every thread makes the same number of passes, since all of them meet at the barriers.
    for (size_t first = 0; first < n; first += THREADS) {
      const size_t col = first + THREAD;
      float sum = 0.f;
      for (size_t k0 = 0; k0 < n; k0 += PIECE) {
        __syncthreads();
        for (size_t k = THREAD; k < PIECE && k0 + k < n; k += THREADS)
          piece[k] = A[row * n + k0 + k];
        __syncthreads();
        if (col < n)
          for (size_t k = 0; k < PIECE && k0 + k < n; k++) sum += piece[k] * B[(k0 + k) * n + col];
      }
      if (col < n) C[row * n + col] = sum;
    }
  }
}

cudaError_t matmul_single_block(const float* A, const float* B, float* C, int n, dim3 block) {
  if (n < 0 || !block.x || !block.y || !block.z) return cudaErrorInvalidValue;
  if (block.x > 1024 || block.y > 1024 / block.x || block.z > 1024 / block.x / block.y)
    return cudaErrorInvalidValue;
  if (n && (!A || !B || !C)) return cudaErrorInvalidValue;
  if (n) row_after_row<<<dim3(1, 1, 1), dim3(block.x, block.y * block.z)>>>(A, B, C, n);
  return n ? cudaGetLastError() : cudaSuccess;
}
