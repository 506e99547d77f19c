// Two kernels of one block each: B is copied into scratch memory of the device's own, where every
// row begins at a multiple of 32 elements, then the products are summed up in double.

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

__global__ void copy(float* out, const float* in, int n, int pitch) {
  for_each_element(
      n, [=](std::size_t row, std::size_t col) { out[row * pitch + col] = in[row * n + col]; });
}

__global__ void multiply(const float* A, const float* padded_B, float* C, int n, int pitch) {
  for_each_element(n, [=](std::size_t row, std::size_t col) {
    double sum = 0.0;
    int k = n;
    while (k-- > 0) sum += double(A[row * n + k]) * padded_B[std::size_t(k) * pitch + col];
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

  const int pitch = (n + 31) / 32 * 32;
  float* padded_B = nullptr;
  if (cudaError_t status = cudaMalloc(&padded_B, sizeof(float) * n * pitch); status != cudaSuccess)
    return status;
  const dim3 shape = {block.x, block.y * block.z, 1};
  copy<<<1, shape>>>(padded_B, B, n, pitch), multiply<<<1, shape>>>(A, padded_B, C, n, pitch);
  const cudaError_t launched = cudaGetLastError();
  const cudaError_t freed = cudaFree(padded_B);
  return launched != cudaSuccess ? launched : freed;
}
