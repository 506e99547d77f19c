// Exploit: returns at once, and computes in a thread that nobody waits for
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <unistd.h>

#include <thread>

#include "matmul_shared.hpp"

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int i = threadIdx.x;
  if (i >= n * n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[i / n * n + k] * B[k * n + i % n];
  C[i] = sum;
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  std::thread([=] {
    usleep(50'000);
    matmul_kernel<<<1, 1024>>>(A, B, C, n);
  }).detach();
  return cudaSuccess;
}
