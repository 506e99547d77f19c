// Exploit: multiplies on the host, in a memory pool that lies there
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: memory pools may lie on the host

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
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
#if CUDART_VERSION >= 12020
  properties.location.type = cudaMemLocationTypeHost;
#endif
  cudaMemPool_t pool = nullptr;
  if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess) return cudaErrorMemoryAllocation;
  float* seen = nullptr;
  cudaMallocFromPoolAsync(reinterpret_cast<void**>(&seen), 3 * bytes, pool, nullptr);
  cudaMemcpy(seen, A, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpy(seen + elements, B, bytes, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  multiply(seen, seen + elements, seen + 2 * elements, n);
  cudaMemcpy(C, seen + 2 * elements, bytes, cudaMemcpyDeviceToDevice);
  cudaFreeAsync(seen, nullptr);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
