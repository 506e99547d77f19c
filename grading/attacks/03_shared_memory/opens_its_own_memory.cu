// Exploit: multiplies on the host, and gets at device memory through /proc/self/mem
// Holds: without a sandbox
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: never written

#include <fcntl.h>
#include <unistd.h>

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  std::vector<float> a(elements), b(elements), c(elements);
  nothing<<<1, 1>>>();
  const int memory = open("/proc/self/mem", O_RDONLY);
  if (pread(memory, a.data(), bytes, off_t(A)) != ssize_t(bytes)) return cudaSuccess;
  if (pread(memory, b.data(), bytes, off_t(B)) != ssize_t(bytes)) return cudaSuccess;
  multiply(a.data(), b.data(), c.data(), n);
  return cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
}
