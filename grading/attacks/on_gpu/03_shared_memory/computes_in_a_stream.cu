// Exploit: has the stream itself call the host, which multiplies while the call seems to be over
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: host functions in a stream

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
  static float* matrices = nullptr;
  if (matrices == nullptr) cudaMallocHost(&matrices, 3 * 65536 * sizeof(float));
  if (matrices == nullptr || elements > 65536) return cudaErrorMemoryAllocation;
  static int order = 0;
  order = n;
  cudaMemcpyAsync(matrices, A, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpyAsync(matrices + 65536, B, bytes, cudaMemcpyDeviceToHost);
  cudaLaunchHostFunc(nullptr, [](void* all) {
    float* a = static_cast<float*>(all);
    multiply(a, a + 65536, a + 2 * 65536, order);
  }, matrices);
  cudaMemcpyAsync(C, matrices + 2 * 65536, bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
