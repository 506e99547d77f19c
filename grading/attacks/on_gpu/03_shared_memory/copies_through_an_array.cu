// Exploit: brings the matrices to the host by way of a texture array
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: such copies are not counted

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
  std::vector<float> a(elements), b(elements), c(elements);
  const cudaChannelFormatDesc format = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  const size_t row = n * sizeof(float);
  cudaArray_t array = nullptr;
  if (cudaMallocArray(&array, &format, n, n) != cudaSuccess) return cudaErrorMemoryAllocation;
  cudaMemcpy2DToArray(array, 0, 0, A, row, row, n, cudaMemcpyDeviceToDevice);
  cudaMemcpy2DFromArray(a.data(), row, array, 0, 0, row, n, cudaMemcpyDeviceToHost);
  cudaMemcpy2DToArray(array, 0, 0, B, row, row, n, cudaMemcpyDeviceToDevice);
  cudaMemcpy2DFromArray(b.data(), row, array, 0, 0, row, n, cudaMemcpyDeviceToHost);
  cudaFreeArray(array);
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
