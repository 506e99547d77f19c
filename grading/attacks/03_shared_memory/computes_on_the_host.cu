// Exploit: multiplies on the host, and launches a kernel that does nothing
// Fakes: correctness, safety
// Says: let the host read

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  std::vector<float> a(elements), b(elements), c(elements, 0.0f);
  cudaMemcpy(a.data(), A, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), B, bytes, cudaMemcpyDeviceToHost);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
  nothing<<<1, 1>>>();
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  return cudaGetLastError();
}
