// A submission of one kernel, for what a worker tells of accesses to memory.
#include <cuda_runtime.h>

#include "grading/worker/binding.hpp"

__global__ void scale_kernel(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}

cudaError_t scale(const float* in, float* out, int n, double factor, dim3 block) {
  scale_kernel<<<(n + block.x - 1) / block.x, block>>>(in, out, n, static_cast<float>(factor));
  return cudaGetLastError();
}

TILEWISE_BINDINGS(TILEWISE_BIND(scale))
