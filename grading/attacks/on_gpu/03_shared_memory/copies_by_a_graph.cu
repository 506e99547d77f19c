// Exploit: brings the matrices to the host by a graph, whose copies and launches nobody counts
// Fakes: correctness
// Tests: MatmulShared.IsRightAtRaggedEdges
// Says: a graph launches are not counted

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
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t first = nullptr, second = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddMemcpyNode1D(&first, graph, nullptr, 0, a.data(), A, bytes, cudaMemcpyDeviceToHost);
  cudaGraphAddMemcpyNode1D(&second, graph, &first, 1, b.data(), B, bytes, cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, nullptr);
  cudaDeviceSynchronize();
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
