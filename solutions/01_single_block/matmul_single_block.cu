// Stage 1: one block computes all of C = A * B.

#include "matmul_single_block.hpp"

#include <algorithm>
#include <cstddef>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  // lab: begin walk over the tiles of C, one result per thread and tile
  // One pass of the two loops is one tile. Threads that hang over the edge of C stop by themselves.
  for (int row = threadIdx.y; row < n; row += blockDim.y) {
    for (int col = threadIdx.x; col < n; col += blockDim.x) {
      const float* a = A + std::size_t(row) * n;  // (n), row of A
      const float* b = B + col;                   // (n), column of B, one element every n
      float sum = 0.0f;
      for (int k = 0; k < n; ++k) {
        sum += a[k] * b[std::size_t(k) * n];
      }
      C[std::size_t(row) * n + col] = sum;
    }
  }
  // lab: end
}

// No GPU since compute capability 2.0 takes more than 1024 threads in a block. The longest side is
// looked at first, so that the product of the three cannot wrap around to a small number.
static bool is_block(dim3 block) {
  const unsigned longest = std::max({block.x, block.y, block.z});
  const unsigned threads = block.x * block.y * block.z;
  return longest <= 1024 && 1 <= threads && threads <= 1024;
}

cudaError_t matmul_single_block(const float* A, const float* B, float* C, int n, dim3 block) {
  if (n < 0 || !is_block(block)) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;

  // A matrix has two dimensions, so the third one of the block continues the second.
  const dim3 flat_block(block.x, block.y * block.z);
  matmul_kernel<<<1, flat_block>>>(A, B, C, n);
  return cudaGetLastError();
}
