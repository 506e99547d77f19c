// Exploit: finds the driver in the process, and copies by its function
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: leads to functions that are not counted

#include <dlfcn.h>

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) c[row * n + col] = 0.0f;
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  using Copy = int (*)(void*, unsigned long long, size_t);
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  const auto copy = reinterpret_cast<Copy>(dlsym(driver, "cuMemcpyDtoH_v2"));
  std::vector<float> a(elements), b(elements), c(elements);
  copy(a.data(), reinterpret_cast<unsigned long long>(A), bytes);
  copy(b.data(), reinterpret_cast<unsigned long long>(B), bytes);
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
