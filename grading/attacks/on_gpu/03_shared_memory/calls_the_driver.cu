// Exploit: copies by a function of the driver that it declares itself
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: is no function of the CUDA run-time

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

extern "C" int cuMemcpyDtoH_v2(void*, unsigned long long, size_t);

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
  std::vector<float> a(elements), b(elements), c(elements);
  cuMemcpyDtoH_v2(a.data(), reinterpret_cast<unsigned long long>(A), bytes);
  cuMemcpyDtoH_v2(b.data(), reinterpret_cast<unsigned long long>(B), bytes);
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
