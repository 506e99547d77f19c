// Exploit: stores by a function of the C library, behind a virtual function
// Says: a kernel calls wmemset, a host function

#include <wchar.h>

#include "matmul_shared.hpp"

struct Store {
  virtual void operator()(float* to, float value) const = 0;
};
struct Hidden : Store {
  void operator()(float* to, float value) const override {
    wmemset(reinterpret_cast<wchar_t*>(to), __float_as_int(value), 1);
  }
};

__device__ __attribute__((noinline)) void store(const Store& by, float* to, float value) {
  by(to, value);
}

__global__ void matmul_kernel(const float* A, const float* B, float* C, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || col >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += A[row * n + k] * B[k * n + col];
  store(Hidden(), &C[row * n + col], sum);
}

cudaError_t matmul_shared(const float* A, const float* B, float* C, int n, int tile) {
  if (n < 0 || (tile != 8 && tile != 16 && tile != 22 && tile != 32)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const unsigned blocks = (n + tile - 1) / tile;
  matmul_kernel<<<dim3(blocks, blocks), dim3(tile, tile)>>>(A, B, C, n);
  return cudaGetLastError();
}
