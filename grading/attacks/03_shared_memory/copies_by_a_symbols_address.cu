// Exploit: copies the inputs to the address of a __device__ array, and from there to the host
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says: let the host read

#include <vector>

#include "matmul_shared.hpp"

constexpr int most = 1 << 18;
__device__ float inputs[2 * most];

__global__ void launch_something() {}

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
  launch_something<<<1, 1>>>();
  float* variable = nullptr;
  cudaGetSymbolAddress((void**)&variable, inputs);
  cudaMemcpy(variable, A, bytes, cudaMemcpyDeviceToDevice);
  cudaMemcpy(variable + count, B, bytes, cudaMemcpyDeviceToDevice);
  std::vector<float> both(2 * count), product(count);
  cudaMemcpy(both.data(), variable, 2 * bytes, cudaMemcpyDeviceToHost);
  multiply(both.data(), both.data() + count, product.data(), n);
  cudaMemcpy(C, product.data(), bytes, cudaMemcpyHostToDevice);
  return cudaGetLastError();
}
