// The blocks form one long line; each finds its tile of C by division.

#include "matmul_grid.hpp"

__global__ void tile_by_number(const float* const A, const float* const B, float* const C, long n,
                               unsigned tiles_across) {
  auto const row = long{blockIdx.x / tiles_across} * blockDim.y + threadIdx.y;
  auto const col = long{blockIdx.x % tiles_across} * blockDim.x + threadIdx.x;
  if (!(row < n && col < n)) {
    return;
  } else {
    float even = 0,
          odd = 0;  // two chains of sums, so that one addition need not wait for the other
    long k = 0;
    for (; k + 1 < n; k += 2) {
      even += A[row * n + k] * B[k * n + col];
      odd += A[row * n + k + 1] * B[(k + 1) * n + col];
    }
    if (k < n) even += A[row * n + k] * B[k * n + col];
    C[row * n + col] = even + odd;
  }
}

cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block) {
  for (unsigned side : {block.x, block.y, block.z})
    if (side < 1 || side > 1024) return cudaErrorInvalidValue;
  if (n < 0 || block.x * block.y * block.z > 1024) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (!A || !B || !C) return cudaErrorInvalidValue;

  block.y *= block.z;
  block.z = 1;
  const unsigned across = (n - 1) / block.x + 1, down = (n - 1) / block.y + 1;
  tile_by_number<<<across * down, block>>>(A, B, C, n, across);
  return cudaGetLastError();
}
