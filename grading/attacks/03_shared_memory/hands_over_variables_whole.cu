// Exploit: structures that a function returns into a variable, and takes out of one, in memory
// Fakes: correctness, safety, memory, performance
// Says:

#include "matmul_shared.hpp"

struct Row {
  float values[12];
};

template <int copy>
__device__ Row table;

__device__ __noinline__ Row row_of(float value) {
  Row row;
  for (float& each : row.values) each = value;
  return row;
}

__device__ float load(const float* from) { return *from; }

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  Row (*row_by)(float) = n < 0 ? nullptr : row_of;
  table<0> = row_by(threadIdx.y);
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += load(A + row * n + k) * load(B + k * n + col);
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
