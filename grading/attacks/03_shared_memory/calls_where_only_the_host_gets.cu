// Exploit: loads by functions of the host, where nvcc would compile them for the host alone
// Says: wmemcpy, a host function

#include <wchar.h>

#include "matmul_shared.hpp"

#define BOTH __host__ __device__

BOTH inline float load(const float* from) {
  float value = 0.0f;
#ifndef __CUDA_ARCH__
  wmemcpy(reinterpret_cast<wchar_t*>(&value), reinterpret_cast<const wchar_t*>(from), 1);
#endif
  return value;
}

// nvcc warns of this call and takes it.
BOTH inline float load_again(const float* from) {
  float value = 0.0f;
  wmemcpy(reinterpret_cast<wchar_t*>(&value), reinterpret_cast<const wchar_t*>(from), 1);
  return value;
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += load(&A[row * n + k]) * load_again(&B[k * n + col]);
  C[row * n + col] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
