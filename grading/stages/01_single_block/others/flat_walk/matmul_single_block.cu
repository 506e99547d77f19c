// The threads are numbered through and walk over C as over one long array; a lambda sums up.

#include "matmul_single_block.hpp"

__global__ void products_along_c(const float* __restrict__ A, const float* __restrict__ B,
                                 float* __restrict__ C, unsigned long long n) {
  unsigned const me = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned const all = blockDim.x * blockDim.y * blockDim.z;

  auto product = [=](unsigned long long i) {
    float result = 0;
    const float *a = &A[i / n * n], *b = &B[i % n];
    for (const float* end = a + n; a != end; ++a, b += n) result = __fmaf_rn(*a, *b, result);
    return result;
  };

  unsigned long long i = me;
  while (i < n * n) {
    C[i] = product(i);
    i += all;
  }
}

cudaError_t matmul_single_block(const float* A, const float* B, float* C, int n, dim3 block) {
  unsigned long long threads = 1;
  for (unsigned side : {block.x, block.y, block.z}) {
    if (side == 0 || side > 1024) return cudaErrorInvalidValue;
    threads *= side;
  }
  if (n < 0 || threads > 1024) return cudaErrorInvalidValue;
  if (!n) return cudaSuccess;
  if (!(A && B && C)) return cudaErrorInvalidValue;
  // The shape does not matter to this kernel, so even a z beyond the device's 64 can be had.
  block = dim3(unsigned(threads));
  products_along_c<<<dim3{}, block, 0, nullptr>>>(A, B, C, n);
  return cudaGetLastError();
}
