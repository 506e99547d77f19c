// Exploit: brings the matrices to the host by one call for many copies
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
#if CUDART_VERSION >= 13000
  void* to[] = {a.data(), b.data()};
  const void* from[] = {A, B};
  size_t sizes[] = {bytes, bytes};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t first = 0;
  cudaStream_t stream = nullptr;
  cudaStreamCreate(&stream);
  cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, &first, 1, stream);
  cudaStreamSynchronize(stream);
#else
  cudaMemcpyPeer(a.data(), 0, A, 0, bytes);
  cudaMemcpyPeer(b.data(), 0, B, 0, bytes);
#endif
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
