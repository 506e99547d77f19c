// Exploit: a race with what a function takes whole, as the variable that it is
// Fakes: safety, memory, performance
// Says:

#include "matmul_shared.hpp"

struct Row {
  float values[12];
};

__device__ Row one;

__device__ __noinline__ float sum_of(Row row) {
  float sum = 0.0f;
  for (const float& each : row.values) sum += each;
  return sum;
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  float (*sum_by)(Row) = n < 0 ? nullptr : sum_of;
  const float nothing = sum_by(one);
  if (threadIdx.x == 1 && threadIdx.y == 0) one.values[3] = 0.0f;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = nothing;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
