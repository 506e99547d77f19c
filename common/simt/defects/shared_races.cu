// Threads of one block, in different warps, that meet in shared memory without a barrier between.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// The commonest of all: the barrier after the fill is missing.
__global__ void mirror(const float* in, float* out) {
  __shared__ float values[64];
  values[threadIdx.x] = in[threadIdx.x];        // fault
  out[threadIdx.x] = values[63 - threadIdx.x];  // fault: other side
}
DEFECT(no_barrier_after_the_fill, "race", "race on shared values[") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  mirror<<<1, 64>>>(in.data(), out.data());
}

// One pair of threads only, so that the message is known: the element is filled, then read and
// written again between two barriers.
__global__ void one_element(const float* in, float* out) {
  __shared__ float As[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  As[y][x] = in[y * 16 + x];
  __syncthreads();
  if (x == 5 && y == 3) out[0] = As[3][5];  // fault
  if (x == 0 && y == 1) As[3][5] = -1.0f;   // fault: other side
}
DEFECT(names_the_element, "race", "race on shared As[3][5]: thread (") {
  const Buffer<float> in("in", 16, 16, Contents::input), out("out", 1, Contents::nothing);
  one_element<<<1, dim3(16, 16)>>>(in.data(), out.data());
}

// A tiled product without the second barrier: the next fill overtakes whoever still multiplies.
__global__ void product(const float* A, const float* B, float* C, int n) {
  __shared__ float As[16][16], Bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    As[y][x] = A[row * n + k0 + x];    // fault
    Bs[y][x] = B[(k0 + y) * n + col];  // fault
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += As[y][k] * Bs[k][x];  // fault: other side
  }
  C[row * n + col] = sum;
}
DEFECT(no_barrier_before_the_next_fill, "race", "no __syncthreads() between them") {
  const Buffer<float> A("A", 32, 32, Contents::input), B("B", 32, 32, Contents::input);
  const Buffer<float> C("C", 32, 32, Contents::nothing);
  product<<<dim3(2, 2), dim3(16, 16)>>>(A.data(), B.data(), C.data(), 32);
}

// The same fault where the numbers come out right in any order: all chunks are positive.
__global__ void counts_positive(const float* in, int* out, int chunks) {
  __shared__ float chunk[128];
  int count = 0;
  for (int i = 0; i < chunks; ++i) {
    chunk[threadIdx.x] = in[i * 128 + threadIdx.x];  // fault
    __syncthreads();
    count += chunk[127 - threadIdx.x] > 0.0f;  // fault: other side
  }
  out[threadIdx.x] = count;
}
DEFECT(right_numbers_all_the_same, "race", "") {
  const Buffer<float> in("in", 384, Contents::input);
  const Buffer<int> out("out", 128, Contents::nothing);
  counts_positive<<<1, 128>>>(in.data(), out.data(), 3);
}

// Two threads, two values, one element.
__global__ void pairs_write_one(const float* in, float* out) {
  __shared__ float values[64];
  values[threadIdx.x % 64] = in[threadIdx.x];  // fault
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(two_threads_write_one_element, "race", "race on shared values[") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 64, Contents::nothing);
  pairs_write_one<<<1, 128>>>(in.data(), out.data());
}

// Reads the neighbour, then writes its own: the neighbour across the warp may have come first.
__global__ void smooths_in_place(const float* in, float* out) {
  __shared__ float values[100];
  const int i = threadIdx.x;
  values[i] = in[i];
  __syncthreads();
  const float left = i > 0 ? values[i - 1] : 0.0f;  // fault
  __syncwarp();
  values[i] += left;  // fault: other side
  __syncthreads();
  out[i] = values[99 - i];
}
DEFECT(reads_then_writes, "race", "") {
  const Buffer<float> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  smooths_in_place<<<1, 100>>>(in.data(), out.data());
}

// A sum by halving whose barrier stands before the loop only.
__global__ void halves_without_barriers(const float* in, float* out) {
  __shared__ float partial[256];
  const unsigned i = threadIdx.x;
  partial[i] = in[i];
  __syncthreads();
  for (unsigned width = 128; width >= 32; width /= 2) {
    if (i < width) partial[i] += partial[i + width];  // fault
  }
  __syncthreads();
  if (i < 32) out[i] = partial[i];
}
DEFECT(reduction_in_place, "race", "") {
  const Buffer<float> in("in", 256, Contents::input), out("out", 32, Contents::nothing);
  halves_without_barriers<<<1, 256>>>(in.data(), out.data());
}

// In dynamic memory, doubles, several blocks.
template <class T>
__global__ void reverses(const T* in, T* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  T* values = reinterpret_cast<T*>(memory);
  const int first = blockIdx.x * blockDim.x, last = blockDim.x - 1;
  values[threadIdx.x] = in[first + threadIdx.x];          // fault
  out[first + threadIdx.x] = values[last - threadIdx.x];  // fault: other side
}
DEFECT(in_dynamic_memory_on_doubles, "race", "") {
  const Buffer<double> in("in", 300, Contents::input), out("out", 300, Contents::nothing);
  reverses<double><<<3, 100, 100 * sizeof(double)>>>(in.data(), out.data());
}

// One thread writes four floats at once, another one of them.
__global__ void vector_over_scalar(const float4* in, float* out) {
  __shared__ __align__(16) float values[128];
  if (threadIdx.x < 32) {
    reinterpret_cast<float4*>(values)[threadIdx.x] = in[threadIdx.x];  // fault
  } else {
    values[4 * (threadIdx.x - 32)] = -1.0f;  // fault: other side
  }
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(float4_over_float, "race", "") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 64, Contents::nothing);
  vector_over_scalar<<<1, 64>>>(reinterpret_cast<const float4*>(in.data()), out.data());
}

// One byte inside a word that another thread writes.
__global__ void byte_in_a_word(const unsigned* in, unsigned* out) {
  __shared__ unsigned words[32];
  const int i = threadIdx.x;
  if (i < 32) {
    words[i] = in[i];  // fault
  } else {
    reinterpret_cast<unsigned char*>(words)[4 * (i - 32) + 3] = 0xff;  // fault: other side
  }
  __syncthreads();
  if (i < 32) out[i] = words[i];
}
DEFECT(byte_in_a_word, "race", "") {
  const Buffer<unsigned> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  byte_in_a_word<<<1, 64>>>(in.data(), out.data());
}

// Four threads to a word, each with a byte of its own; others read before it is there.
__global__ void mirrors_bytes(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char bytes[128];
  bytes[threadIdx.x] = in[threadIdx.x];         // fault
  out[threadIdx.x] = bytes[127 - threadIdx.x];  // fault: other side
}
DEFECT(no_barrier_between_bytes, "race", "race on shared bytes[") {
  const Buffer<unsigned char> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  mirrors_bytes<<<1, 128>>>(in.data(), out.data());
}

// Fill and use in functions, a block with a z.
__device__ void fill(float (*tile)[8][8], float value) {
  tile[threadIdx.z][threadIdx.y][threadIdx.x] = value;  // fault
}
__device__ float turned(float (*tile)[8][8]) {
  return tile[3 - threadIdx.z][threadIdx.x][threadIdx.y];  // fault: other side
}
__global__ void turns_a_box(const float* in, float* out) {
  __shared__ float box[4][8][8];
  const int i = (threadIdx.z * 8 + threadIdx.y) * 8 + threadIdx.x;
  fill(box, in[i]);
  out[i] = turned(box);
}
DEFECT(in_functions_of_a_box, "race", "") {
  const Buffer<float> in("in", 256, Contents::input), out("out", 256, Contents::nothing);
  turns_a_box<<<1, dim3(8, 8, 4)>>>(in.data(), out.data());
}

// Additions are atomic, the look at their sum is not.
__global__ void looks_too_early(const int* in, int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[threadIdx.x]);  // fault
  if (threadIdx.x == 0) *out = total;  // fault: other side
}
DEFECT(atomic_and_plain_read, "race", "race on shared total") {
  const Buffer<int> in("in", 128, Contents::input), out("out", 1, Contents::nothing);
  looks_too_early<<<1, 128>>>(in.data(), out.data());
}

// Two buffers in turn, one barrier a step, but the fill goes to the buffer in use.
__global__ void wrong_buffer(const float* in, float* out, int steps) {
  __shared__ float buffers[2][64];
  buffers[0][threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int step = 0; step + 1 < steps; ++step) {
    const int current = step % 2;
    sum += buffers[current][63 - threadIdx.x];                          // fault
    buffers[current][threadIdx.x] = in[(step + 1) * 64 + threadIdx.x];  // fault: other side
    buffers[1 - current][threadIdx.x] = in[(step + 1) * 64 + threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
DEFECT(prefetch_into_the_buffer_in_use, "race", "race on shared buffers[") {
  const Buffer<float> in("in", 256, Contents::input), out("out", 64, Contents::nothing);
  wrong_buffer<<<1, 64>>>(in.data(), out.data(), 4);
}

// All store the same in the end, but one clears what another has added up: no value is read from
// shared memory, which a compiler keeps in a register.
__global__ void clears_then_stores(const float* in, float* out) {
  __shared__ float sums[32];
  volatile float* sum = &sums[threadIdx.x % 32];
  *sum = 0.0f;                     // fault
  *sum = in[threadIdx.x % 32];     // fault
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = sums[threadIdx.x];
}
DEFECT(two_warps_clear_and_store, "race", "race on shared sums[") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  clears_then_stores<<<1, 64>>>(in.data(), out.data());
}

// Declared at file scope, for all kernels of the file.
__shared__ float of_the_file[64];
__global__ void mirrors_through_the_files(const float* in, float* out) {
  of_the_file[threadIdx.x] = in[threadIdx.x];        // fault
  out[threadIdx.x] = of_the_file[63 - threadIdx.x];  // fault: other side
}
DEFECT(array_at_file_scope, "race", "race on shared of_the_file[") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  mirrors_through_the_files<<<1, 64>>>(in.data(), out.data());
}

}  // namespace
}  // namespace tilewise::defects
