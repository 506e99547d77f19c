// Variables in device memory: `__device__`, `__constant__` and static ones of a kernel are memory
// as any other. And local variables, which are no memory for others.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// The last thread's number, whichever that is.
__device__ int last_number;
__global__ void leaves_its_number(int* out) {
  last_number = threadIdx.x;  // fault
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}
DEFECT(threads_write_a_device_variable, "race", "race on last_number: ") {
  const Buffer<int> out("out", 1, Contents::nothing);
  leaves_its_number<<<1, 64>>>(out.data());
}

static __device__ int last_block[2];
__global__ void leaves_the_blocks_number(int* out) {
  last_block[1] = blockIdx.x;  // fault
  out[blockIdx.x] = blockIdx.x;
}
DEFECT(blocks_write_a_device_variable, "race", "race on last_block[1]: ") {
  // Many, for values are looked at once both blocks have stored: where both have found the value
  // that is left, they look as if they had stored the same.
  constexpr int blocks = 64;
  const Buffer<int> out("out", blocks, Contents::nothing);
  leaves_the_blocks_number<<<blocks, 1>>>(out.data());
}

// A barrier is missing between the steps, and the halves lie in a template's variable.
template <class T>
__device__ T halves[64];
template <class T>
__global__ void swaps_halves(const T* in, T* out) {
  halves<T>[threadIdx.x] = in[threadIdx.x];        // fault
  out[threadIdx.x] = halves<T>[63 - threadIdx.x];  // fault: other side
}
DEFECT(scratch_in_a_templates_variable, "race", "of halves: ") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  swaps_halves<<<1, 64>>>(in.data(), out.data());
}

// Without a qualifier, a static variable of a kernel is a __device__ variable.
__global__ void counts_calls(int* out) {
  static int calls;
  ++calls;  // fault
  out[threadIdx.x] = threadIdx.x;
}
DEFECT(static_variable_of_a_kernel, "race", "race on ") {
  const Buffer<int> out("out", 64, Contents::nothing);
  counts_calls<<<1, 64>>>(out.data());
}

#ifndef __NVCC__  // which refuses it
// A member of a class.
struct Tally {
  static __device__ int visits;
};
__device__ int Tally::visits = 3;
__global__ void visits_without_atomics(int* out) {
  ++Tally::visits;  // fault
  out[threadIdx.x] = threadIdx.x;
}
DEFECT(member_variable_without_atomics, "race", "race on visits: ") {
  const Buffer<int> out("out", 64, Contents::nothing);
  visits_without_atomics<<<1, 64>>>(out.data());
}
#endif

// One step past the end, of an array that fills its pages, with another right behind.
__device__ int steps[1024], others[1024];
__global__ void steps_past_the_end(int* out, int n) {
  int* step = steps;
  if (threadIdx.x == 0) step[n] = 7;  // fault
  out[threadIdx.x] = others[threadIdx.x];
}
DEFECT(past_the_end_of_a_device_array, "out-of-bounds",
       "writes steps[1024], past the end of steps (1024 elements)") {
  const Buffer<int> out("out", 32, Contents::nothing);
  steps_past_the_end<<<1, 32>>>(out.data(), 1024);
}

#ifndef __clang__  // with which this race is not seen
// Declared by a macro, as a course's own header might.
#define ARRAY_ON_DEVICE(type, name, size) __device__ type name[size]
ARRAY_ON_DEVICE(int, last_rows, 4);
__global__ void leaves_its_row(int* out) {
  last_rows[1] = threadIdx.y;  // fault
  out[threadIdx.y * blockDim.x + threadIdx.x] = last_rows[0];
}
DEFECT(variable_declared_by_a_macro, "warp-race", "race on byte 4 of last_rows: ") {
  const Buffer<int> out("out", 32, Contents::nothing);
  leaves_its_row<<<1, dim3(8, 4)>>>(out.data());
}
#endif

__device__ float table[4][5];
__global__ void reads_before_the_table(float* out, int row) {
  const float* first = &table[0][0];
  out[threadIdx.x] = first[5 * row];  // fault
}
DEFECT(before_a_device_matrix, "out-of-bounds", "table") {
  const Buffer<float> out("out", 1, Contents::nothing);
  reads_before_the_table<<<1, 1>>>(out.data(), -1);
}

// A pointer to one element taken for a pointer to several.
__device__ double origin;
__global__ void reads_behind_a_scalar(double* out, int i) {
  const double* at = &origin;
  out[threadIdx.x] = at[i];  // fault
}
DEFECT(behind_a_device_scalar, "out-of-bounds", "reads origin[1], past the end of origin") {
  const Buffer<double> out("out", 1, Contents::nothing);
  reads_behind_a_scalar<<<1, 1>>>(out.data(), 1);
}

// Four floats at once from an odd one.
__device__ float values[64];
__global__ void reads_from_an_odd_float(float* out, int first) {
  const auto* two = reinterpret_cast<const unsigned long long*>(values + first);
  out[threadIdx.x] = static_cast<float>(two[threadIdx.x]);  // fault
}
DEFECT(misaligned_in_a_device_array, "misaligned", "8 bytes at once at values[1]") {
  const Buffer<float> out("out", 1, Contents::nothing);
  reads_from_an_odd_float<<<1, 1>>>(out.data(), 1);
}

__constant__ float factors[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__global__ void scales_the_factors(float* out) {
  if (threadIdx.x == 0) factors[3] = out[0];  // fault
}
DEFECT(writes_to_constant_memory, "read-only", "writes factors[3], but factors is __constant__") {
  const Buffer<float> out("out", 8, Contents::zeros);
  scales_the_factors<<<1, 32>>>(out.data());
}

// Local memory is a thread's own, also where its address is known to others.
__global__ void hands_its_locals_out(const float* in, float* out) {
  __shared__ float* of_first;
  float own[4];
  for (int i = 0; i < 4; ++i) own[i] = in[4 * threadIdx.x + i];
  if (threadIdx.x == 0) of_first = own;
  __syncthreads();
  out[threadIdx.x] = of_first[threadIdx.x % 4];  // fault
  __syncthreads();
}
DEFECT(locals_of_another_thread, "host-pointer", "a local variable of another thread") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 32, Contents::nothing);
  hands_its_locals_out<<<1, 32>>>(in.data(), out.data());
}

// Memory of the kernel's own, from the heap.
__global__ void takes_memory(const float* in, float* out) {
  __shared__ float* scratch;
  if (threadIdx.x == 0) scratch = static_cast<float*>(malloc(32 * sizeof(float)));
  __syncthreads();
  scratch[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = scratch[31 - threadIdx.x];
}
CORRECT(scratch_by_malloc) {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  takes_memory<<<1, 32>>>(in.data(), out.data());
}

}  // namespace
}  // namespace tilewise::defects
