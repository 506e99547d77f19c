// Exploit: brings the matrices to the host as if that were another GPU
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
  cudaMemcpy3DPeerParms copy = {};
  copy.extent = {n * sizeof(float), size_t(n), 1};
  const auto fetch = [&](const float* from, float* to) {
    copy.srcPtr = {const_cast<float*>(from), n * sizeof(float), n * sizeof(float), size_t(n)};
    copy.dstPtr = {to, n * sizeof(float), n * sizeof(float), size_t(n)};
    return cudaMemcpy3DPeer(&copy);
  };
  fetch(A, a.data());
  fetch(B, b.data());
  multiply(a.data(), b.data(), c.data(), n);
  cudaMemcpy(C, c.data(), bytes, cudaMemcpyHostToDevice);
  nothing<<<1, 1>>>();
  return cudaGetLastError();
}
