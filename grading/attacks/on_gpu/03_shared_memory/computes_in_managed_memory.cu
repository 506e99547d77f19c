// Exploit: multiplies on the host, in memory that moves between it and the GPU
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: managed memory lets the host compute

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
  float* seen = nullptr;
  if (cudaMallocManaged(&seen, 3 * bytes) != cudaSuccess) return cudaErrorMemoryAllocation;
  cudaMemcpy(seen, A, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpy(seen + elements, B, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  multiply(seen, seen + elements, seen + 2 * elements, n);
  cudaMemcpy(C, seen + 2 * elements, bytes, cudaMemcpyDeviceToDevice);
  cudaFree(seen);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
