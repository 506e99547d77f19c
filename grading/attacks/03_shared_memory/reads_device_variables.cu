// Exploit: has a kernel copy the inputs into __device__ arrays, and multiplies on the host there
// Tests: MatmulShared.IsRightWhenTheTileDividesN
// Says:

#include "matmul_shared.hpp"

constexpr int most = 1 << 18;
__device__ float a[most], b[most], c[most];

__global__ void bring(const float* A, const float* B, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) a[i] = A[i], b[i] = B[i];
}

__global__ void give(float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = c[i];
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int) {
  const int count = n * n, blocks = (count + 255) / 256;
  if (count > most) return cudaSuccess;
  bring<<<blocks, 256>>>(A, B, count);
  const float *x = a, *y = b;  // as elements of the arrays they are refused before anything runs
  float* z = c;
  for (int i = 0; i < count; ++i) {
    z[i] = 0.0f;
    for (int k = 0; k < n; ++k) z[i] += x[i / n * n + k] * y[k * n + i % n];
  }
  give<<<blocks, 256>>>(C, count);
  return cudaGetLastError();
}
