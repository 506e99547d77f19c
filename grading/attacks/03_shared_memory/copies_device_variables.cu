// Exploit: copies the inputs into __device__ arrays, copies those to the host, and multiplies there
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: let the host read

#include <vector>

#include "matmul_shared.hpp"

constexpr int most = 1 << 18;
__device__ float a[most], b[most];

__global__ void bring(const float* A, const float* B, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) a[i] = A[i], b[i] = B[i];
}

static void multiply(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n * n; ++i) {
    float sum = 0.0f;
    for (int k = 0; k < n; ++k) sum += a[i / n * n + k] * b[k * n + i % n];
    c[i] = sum;
  }
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const int count = n * n;
  if (count > most) return cudaSuccess;
  const size_t bytes = count * sizeof(float);
  std::vector<float> ha(count), hb(count), hc(count);
  bring<<<(count + 255) / 256, 256>>>(A, B, count);
  cudaMemcpyFromSymbol(ha.data(), a, bytes);
  cudaMemcpyFromSymbol(hb.data(), b, bytes);
  multiply(ha.data(), hb.data(), hc.data(), n);
  cudaMemcpy(C, hc.data(), bytes, cudaMemcpyHostToDevice);
  return cudaGetLastError();
}
