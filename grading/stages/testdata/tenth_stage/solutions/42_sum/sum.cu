// A reduction: every block adds up a part of the vector, and one thread of it adds that to the sum.

#include "sum.hpp"

constexpr int threads = 256;

__global__ void sum_kernel(float* sum, const float* x, int n) {
  // lab: begin add up a part of x, and add that to *sum
  __shared__ float part[threads];
  float mine = 0.0f;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) {
    mine += x[i];
  }
  part[threadIdx.x] = mine;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(sum, part[0]);
  // lab: end
}

cudaError_t sum(float* sum, const float* x, int n) {
  if (n < 0 || !sum || (n > 0 && !x)) return cudaErrorInvalidValue;
  const cudaError_t cleared = cudaMemset(sum, 0, sizeof *sum);
  if (cleared != cudaSuccess || n == 0) return cleared;
  const int needed = (n + threads - 1) / threads;
  sum_kernel<<<needed < 256 ? needed : 256, threads>>>(sum, x, n);
  return cudaGetLastError();
}
