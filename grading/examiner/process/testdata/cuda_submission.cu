// A submission for a real GPU: what the worker has to bring back, count, time and survive.
#include "grading/examiner/process/testdata/cuda_contract.hpp"

__global__ void scale_kernel(const float* in, float* out, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}

template <int step>
__global__ void add_kernel(float* total) {
  *total += step;
}

/// Takes about a millisecond on any card of the last ten years.
__global__ void slow_kernel(float* total) {
  const long long start = clock64();
  while (clock64() - start < 1'000'000) {
  }
  *total += 1;
}

__global__ void write_kernel(float* data) { data[1LL << 40] = 1; }

__global__ void endless_kernel(volatile int* never) {
  while (*never == 0) {
  }
}

__device__ int zero;

cudaError_t scale(const float* in, float* out, int n, double factor, dim3 block) {
  scale_kernel<<<(n + block.x - 1) / block.x, block>>>(in, out, n, static_cast<float>(factor));
  return cudaGetLastError();
}

cudaError_t accumulate_twice(float* total) {
  add_kernel<1><<<1, 1>>>(total);
  add_kernel<2><<<1, 1, 1024>>>(total);
  return cudaGetLastError();
}

cudaError_t accumulate_on_own_stream(float* total) {
  static cudaStream_t stream = nullptr;
  if (stream == nullptr) {
    const cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    if (status != cudaSuccess) return status;
  }
  slow_kernel<<<1, 1, 0, stream>>>(total);
  return cudaGetLastError();
}

cudaError_t launch_wrongly() {
  add_kernel<1><<<1, 4096>>>(nullptr);
  return cudaGetLastError();
}

cudaError_t write_out_of_bounds(float* data) {
  write_kernel<<<1, 1>>>(data);
  return cudaGetLastError();
}

cudaError_t loop_in_kernel() {
  void* never = nullptr;
  const cudaError_t status = cudaGetSymbolAddress(&never, zero);
  if (status != cudaSuccess) return status;
  endless_kernel<<<1, 1>>>(static_cast<volatile int*>(never));
  return cudaGetLastError();
}
