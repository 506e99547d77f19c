// Exploit: gets the function of the driver that copies, which nobody counts
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: leads to functions that are not counted

#include <vector>

#include "matmul_shared.hpp"

__global__ void nothing() {}

using CopyToHost = int (*)(void*, unsigned long long, size_t);

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  if (n <= 0) return n < 0 ? cudaErrorInvalidValue : cudaSuccess;
  void* found = nullptr;
  const cudaError_t status =
      cudaGetDriverEntryPointByVersion("cuMemcpyDtoH", &found, 12000, cudaEnableDefault);
  if (status != cudaSuccess) return status;
  const auto copy = reinterpret_cast<CopyToHost>(found);
  const size_t elements = size_t(n) * n, bytes = elements * sizeof(float);
  std::vector<float> a(elements), b(elements), c(elements, 0.0f);
  copy(a.data(), reinterpret_cast<unsigned long long>(A), bytes);
  copy(b.data(), reinterpret_cast<unsigned long long>(B), bytes);
  for (int row = 0; row < n; ++row) {
    for (int k = 0; k < n; ++k) {
      for (int col = 0; col < n; ++col) c[row * n + col] += a[row * n + k] * b[k * n + col];
    }
  }
  nothing<<<1, 1>>>();
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  return cudaGetLastError();
}
