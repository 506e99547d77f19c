// Exploit: has a kernel start a thread that multiplies as host code does
// Says: a host function

#include <thread>

#include "matmul_shared.hpp"

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

__global__ void start(const float* A, const float* B, float* C, int n) {
  std::thread([=] { multiply(A, B, C, n); }).join();
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  start<<<1, 1>>>(A, B, C, n);
  return cudaGetLastError();
}
