// Two kernels of one block each: B is transposed into scratch memory of the device's own, then rows
// are multiplied by rows, in double.

#include "matmul_single_block.hpp"

#include <cstddef>

namespace {

// Walks over all (row, col) of an (n, n) matrix, a block-sized tile at a time.
template <class Visit>
__device__ void for_each_element(int n, Visit visit) {
  for (int tile_row = 0; tile_row * int(blockDim.y) < n; ++tile_row)
    for (int tile_col = 0; tile_col * int(blockDim.x) < n; ++tile_col) {
      const int row = tile_row * blockDim.y + threadIdx.y,
                col = tile_col * blockDim.x + threadIdx.x;
      if (row >= n || col >= n) continue;
      visit(std::size_t(row), std::size_t(col));
    }
}

__global__ void transpose(float* out, const float* in, int n) {
  for_each_element(
      n, [=](std::size_t row, std::size_t col) { out[col * n + row] = in[row * n + col]; });
}

__global__ void rows_by_rows(const float* A, const float* Bt, float* C, int n) {
  for_each_element(n, [=](std::size_t row, std::size_t col) {
    double sum = 0.0;
    int k = n;
    while (k-- > 0) sum += double(A[row * n + k]) * Bt[col * n + k];
    C[row * n + col] = static_cast<float>(sum);
  });
}

}  // namespace

cudaError_t matmul_single_block(const float* A, const float* B, float* C, int n, dim3 block) {
  const bool small = block.x <= 1024 && block.y <= 1024 && block.z <= 1024;
  const auto threads = block.x * block.y * block.z;
  if (n < 0 || !small || threads < 1 || threads > 1024) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  if (A == nullptr || B == nullptr || C == nullptr) return cudaErrorInvalidValue;

  float* Bt = nullptr;
  if (cudaError_t status = cudaMalloc(&Bt, sizeof(float) * n * n); status != cudaSuccess)
    return status;
  const dim3 shape = {block.x, block.y * block.z, 1};
  transpose<<<1, shape>>>(Bt, B, n), rows_by_rows<<<1, shape>>>(A, Bt, C, n);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t freed = cudaFree(Bt);
  return launched != cudaSuccess ? launched : freed;
}
