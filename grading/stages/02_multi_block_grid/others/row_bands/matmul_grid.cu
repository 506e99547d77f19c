// One launch for each band of rows, through a template that takes the kernel as an argument; every
// launch gets pointers to its own band, so that even the narrowest blocks fit any grid.

#include "matmul_grid.hpp"

#include <algorithm>
#include <cstddef>

using Kernel = void (*)(const float*, const float*, float*, int, int);

// A, C: (rows, n), a band; B: (n, n)
__global__ static void band(const float* A, const float* B, float* C, int rows, int n) {
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < rows)
    if (x < n) {
      float sum = 0.0f;
      const float* b = B + x;
#pragma unroll 8
      for (int k = 0; k < n; ++k, b += n) sum += A[std::size_t(y) * n + k] * __ldg(b);
      C[std::size_t(y) * n + x] = sum;
    }
}

template <class... Arguments>
static cudaError_t run(Kernel kernel, dim3 grid, dim3 block, Arguments... arguments) {
  (*kernel)<<<grid, block>>>(arguments...);
  return cudaGetLastError();
}

cudaError_t matmul_grid(const float* A, const float* B, float* C, int n, dim3 block) {
  const unsigned long long xy = 1ull * block.x * block.y;
  if (n < 0 || xy == 0 || xy > 1024 || block.z < 1 || block.z > 1024 / xy) {
    return cudaErrorInvalidValue;
  }
  if (n > 0 && (!A || !B || !C)) return cudaErrorInvalidValue;

  const dim3 flat(block.x, block.y * block.z);
  const int band_rows = 100;
  for (int row = 0; row < n; row += band_rows) {
    const int rows = std::min(band_rows, n - row);
    const dim3 grid((n + flat.x - 1) / flat.x, (rows + flat.y - 1) / flat.y);
    const std::size_t offset = std::size_t(row) * n;
    const cudaError_t status = run(band, grid, flat, A + offset, B, C + offset, rows, n);
    if (status != cudaSuccess) return status;
  }
  return cudaSuccess;
}
