// Threads that meet in global memory: of two blocks, or of one without a barrier between.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// The block's index is missing from the element's.
__global__ void forgets_the_block(const float* in, float* out) {
  out[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];  // fault
}
DEFECT(blocks_write_one_element, "race", "") {
  const Buffer<float> in("in", 96, Contents::input), out("out", 32, Contents::nothing);
  forgets_the_block<<<3, 32>>>(in.data(), out.data());
}

// A shift in place; the barrier holds the block together, not the grid.
__global__ void shifts(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float right = i + 1 < n ? values[i + 1] : -1.0f;  // fault
  __syncthreads();
  values[i] = right;  // fault: other side
}
__global__ void counts_up(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = static_cast<float>(i);
}
DEFECT(block_reads_what_another_writes, "race", "") {
  const Buffer<float> values("values", 256, Contents::nothing);
  counts_up<<<4, 64>>>(values.data());
  shifts<<<4, 64>>>(values.data(), 256);
}

// `++` of a shared count is no atomic addition.
__global__ void histogram(const unsigned char* values, int* bins) {
  ++bins[values[blockIdx.x]];  // fault
}
DEFECT(histogram_without_atomics, "race", "") {
  const Buffer<unsigned char> values("values", 250, Contents::input);
  const Buffer<int> bins("bins", 128, Contents::zeros);
  histogram<<<250, 1>>>(values.data(), bins.data());
}

// Every block adds its part to one sum, on doubles, in a function template.
template <class T>
__device__ void add(T* sum, T part) {
  *sum += part;  // fault
}
template <class T>
__global__ void sums(const T* in, T* sum) {
  if (threadIdx.x == 0) add(sum, in[blockIdx.x]);
}
DEFECT(blocks_add_to_one_sum, "race", "") {
  const Buffer<double> in("in", 8, Contents::input), sum("sum", 1, Contents::zeros);
  sums<double><<<8, 32>>>(in.data(), sum.data());
}

// Each block writes four pairs, three pairs further on than the block before.
__global__ void overlapping_pairs(const float* in, float2* out) {
  const float2 pair = make_float2(in[threadIdx.x], in[blockIdx.x]);
  out[3 * blockIdx.x + threadIdx.x] = pair;  // fault
}
DEFECT(blocks_overlap_by_a_float2, "race", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  overlapping_pairs<<<8, 4>>>(in.data(), reinterpret_cast<float2*>(out.data()));
}

// A transpose in place, each block its own tile: tile (1, 0) needs what tile (0, 1) has
// overwritten.
__global__ void transposes_in_place(float* A, int n) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  const float value = A[col * n + row];  // fault
  __syncthreads();
  A[row * n + col] = value;  // fault: other side
}
DEFECT(transpose_in_place, "race", "") {
  const Buffer<float> A("A", 16, 16, Contents::nothing);
  counts_up<<<4, 64>>>(A.data());
  transposes_in_place<<<dim3(2, 2), dim3(8, 8)>>>(A.data(), 16);
}

// All blocks read the first element, which the first block changes.
__global__ void adds_the_first(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float first = values[0];  // fault
  __syncthreads();
  values[i] = values[i] + first + 1.0f;  // fault: other side
}
DEFECT(one_block_changes_what_all_read, "race", "") {
  const Buffer<float> values("values", 256, Contents::nothing);
  counts_up<<<4, 64>>>(values.data());
  adds_the_first<<<4, 64>>>(values.data());
}

// The sum grows by atomic additions, but each block looks at it as if it were done.
__global__ void looks_at_the_sum(const int* in, int* sum, int* out) {
  atomicAdd(sum, in[blockIdx.x]);  // fault
  out[blockIdx.x] = *sum;          // fault: other side
}
DEFECT(plain_read_of_an_atomic_sum, "race", "") {
  const Buffer<int> in("in", 32, Contents::input), sum("sum", 1, Contents::zeros);
  const Buffer<int> out("out", 32, Contents::nothing);
  looks_at_the_sum<<<32, 1>>>(in.data(), sum.data(), out.data());
}

// Blocks along z that forget it, on bytes, in a lambda.
__global__ void forgets_z(const unsigned char* in, unsigned char* out) {
  const auto store = [&](int i, unsigned char value) {
    out[i] = value;  // fault
  };
  store(threadIdx.x, in[blockIdx.z * blockDim.x + threadIdx.x]);
}
DEFECT(blocks_along_z_write_one_byte, "race", "") {
  const Buffer<unsigned char> in("in", 90, Contents::input), out("out", 30, Contents::nothing);
  forgets_z<<<dim3(1, 1, 3), 30>>>(in.data(), out.data());
}

// Within a block: global memory needs the barrier just as shared memory does.
__global__ void no_barrier_in_the_block(const float* in, float* scratch, float* out) {
  scratch[threadIdx.x] = in[threadIdx.x];        // fault
  out[threadIdx.x] = scratch[99 - threadIdx.x];  // fault: other side
}
DEFECT(global_memory_within_a_block, "race", "") {
  const Buffer<float> in("in", 100, Contents::input), scratch("scratch", 100, Contents::zeros);
  const Buffer<float> out("out", 100, Contents::nothing);
  no_barrier_in_the_block<<<1, 100>>>(in.data(), scratch.data(), out.data());
}

// Threads of two warps, and of two blocks, that add up the same element from zero.
__global__ void adds_up_the_same(const float* in, float* out, int n) {
  const int i = static_cast<int>(threadIdx.x % 32);
  out[i] = 0.0f;                                 // fault
  for (int k = 0; k < n; ++k) out[i] += in[k];   // fault
}
DEFECT(two_warps_add_up_the_same, "race", "race on out[") {
  const Buffer<float> in("in", 8, Contents::input), out("out", 32, Contents::nothing);
  adds_up_the_same<<<1, 64>>>(in.data(), out.data(), 8);
}
DEFECT(two_blocks_add_up_the_same, "race", "and nothing orders two blocks") {
  const Buffer<float> in("in", 8, Contents::input), out("out", 32, Contents::nothing);
  adds_up_the_same<<<2, 32>>>(in.data(), out.data(), 8);
}

// The same, with what is added up in a register.
__global__ void clears_then_adds_up(const float* in, float* out, int n) {
  volatile float* sum = &out[threadIdx.x % 32];
  *sum = 0.0f;   // fault
  float all = 0.0f;
  for (int k = 0; k < n; ++k) all += in[k];
  *sum = all;    // fault
}
DEFECT(two_warps_clear_and_add_up, "race", "race on out[") {
  const Buffer<float> in("in", 8, Contents::input), out("out", 32, Contents::nothing);
  clears_then_adds_up<<<1, 64>>>(in.data(), out.data(), 8);
}
DEFECT(two_blocks_clear_and_add_up, "race", "and nothing orders two blocks") {
  const Buffer<float> in("in", 8, Contents::input), out("out", 32, Contents::nothing);
  clears_then_adds_up<<<2, 32>>>(in.data(), out.data(), 8);
}

}  // namespace
}  // namespace tilewise::defects
