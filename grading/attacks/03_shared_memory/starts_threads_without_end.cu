// Exploit: more threads with every call, which outlive it
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Holds: without a sandbox
// Says: threads at once

#include <pthread.h>
#include <unistd.h>

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  C[row * n + col] = sum;
}

void* sleep_on(void*) {
  sleep(1000);
  return nullptr;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 << 10);
  pthread_t thread;
  for (int i = 0; i < 400; ++i) pthread_create(&thread, &small, sleep_on, nullptr);
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
