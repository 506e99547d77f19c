// Exploit: a race of the stores by which a swap that fails tells what it has found
// Fakes: safety
// Tests: MatmulShared.IsFreeOfRacesAndStrayAccesses
// Says:

#include "matmul_shared.hpp"

__device__ __noinline__ void put(int* to, int value) {
  int found = value;
  __atomic_compare_exchange_n(&found, to, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

__device__ float load(const float* from) { return *from; }

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  __shared__ int last;
  if (threadIdx.x + threadIdx.y == 0) last = 0;
  __syncthreads();
  put(&last, 1 + threadIdx.x + 1000 * threadIdx.y);
  __syncthreads();
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n || last < 0) return;
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
