// Writes to buffers that are the kernel's input: no tool of CUDA knows which these are.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// The cast away of const.
__global__ void scales_its_input(const float* A, float* out, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* scaled = const_cast<float*>(A);
  scaled[i] = A[i] * factor;  // fault
  out[i] = scaled[i];
}
DEFECT(casts_const_away, "read-only", "") {
  const Buffer<float> A("A", 64, Contents::input), out("out", 64, Contents::nothing);
  scales_its_input<<<2, 32>>>(A.data(), out.data(), 2.0f);
}

// The kernel is right, its arguments change places.
__global__ void copies(float* to, const float* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = from[i];
  to[i] = value + 1;  // fault
}
DEFECT(arguments_in_the_wrong_order, "read-only", "") {
  const Buffer<float> in("in", 100, Contents::input), out("out", 100, Contents::zeros);
  copies<<<1, 100>>>(in.data(), out.data());
}

// Writes back what is there: not a change, but a write.
__global__ void swaps_rows(double* B, int columns, int first, int second) {
  const int col = threadIdx.x;
  const double above = B[first * columns + col];
  B[first * columns + col] = B[second * columns + col];  // fault
  B[second * columns + col] = above;                     // fault
}
DEFECT(swaps_rows_of_its_input, "read-only", "") {
  const Buffer<double> B("B", 4, 32, Contents::input);
  swaps_rows<<<1, 32>>>(B.data(), 32, 1, 3);
}

// Four at a time, in a function template.
template <class T>
__device__ void clear(T* at) {
  *at = T{};  // fault
}
__global__ void clears(float4* fours) { clear(fours + threadIdx.x); }
DEFECT(float4_over_an_input, "read-only", "") {
  const Buffer<float> in("in", 128, Contents::input);
  clears<<<1, 32>>>(reinterpret_cast<float4*>(in.data()));
}

__global__ void counts_in_its_input(unsigned* words) {
  atomicAdd(&words[threadIdx.x / 8], 1u);  // fault
}
DEFECT(atomic_on_an_input, "read-only", "") {
  const Buffer<unsigned> words("words", 8, Contents::input);
  counts_in_its_input<<<1, 64>>>(words.data());
}

// Output and input lie side by side, and two bytes too many go out.
__global__ void negates(unsigned char* bytes, int first, int n) {
  const int i = first + blockIdx.z * blockDim.x + threadIdx.x;
  if (i < n) bytes[i] = static_cast<unsigned char>(255 - threadIdx.x);  // fault
}
DEFECT(output_runs_into_the_input, "read-only", "") {
  unsigned char* memory = nullptr;
  check(cudaMalloc(&memory, 256));
  check(cudaMemset(memory, 0, 256));
  describe(memory, "out", 1, 128, Contents::zeros);
  describe(memory + 128, "in", 1, 128, Contents::input);
  negates<<<dim3(1, 1, 3), 64>>>(memory, 0, 130);
  cudaFree(memory);
}

}  // namespace
}  // namespace tilewise::defects
