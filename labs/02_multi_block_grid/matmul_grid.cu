// Stage 2: a grid of blocks computes C = A * B, one result per thread.

#include "matmul_grid.hpp"

#include <algorithm>
#include <cstddef>

// A, B, C: (n, n), row-major, so that element (row, col) lies at row * n + col. That offset needs
// 64 bits: from n = 46,341 on, n * n no longer fits into an int.
__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  // TODO(lab): find this thread's result and compute it (10 lines)
}

// No GPU since compute capability 2.0 takes more than 1024 threads in a block. The longest side is
// looked at first, so that the product of the three cannot wrap around to a small number.
static bool is_block(dim3 block) {
  const unsigned longest = std::max({block.x, block.y, block.z});
  const unsigned threads = block.x * block.y * block.z;
  return longest <= 1024 && 1 <= threads && threads <= 1024;
}

cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block) {
  if (n < 0 || !is_block(block)) return cudaErrorInvalidValue;
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;  // CUDA refuses a grid without blocks

  // A matrix has two dimensions, so the third one of the block continues the second.
  const dim3 flat_block(block.x, block.y * block.z);
  // TODO(lab): launch enough blocks to cover C (2 lines)
  return cudaGetLastError();
}
