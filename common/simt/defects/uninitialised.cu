// Reads of memory, global or shared, that nothing has written.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// cudaMalloc does not clear.
__global__ void adds_up(const float* in, float* C, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) C[i] += in[i];  // fault
}
DEFECT(adds_to_an_unwritten_output, "uninitialised", "") {
  const Buffer<float> in("in", 100, Contents::input), C("C", 100, Contents::nothing);
  adds_up<<<4, 32>>>(in.data(), C.data(), 100);
}

__global__ void doubles_it(const double* in, double* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];  // fault
}
DEFECT(input_never_copied, "uninitialised", "") {
  const Buffer<double> in("in", 64, Contents::nothing), out("out", 64, Contents::nothing);
  doubles_it<<<1, 64>>>(in.data(), out.data());
}

// The first kernel leaves the last element out; the second reads all.
__global__ void all_but_the_last(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) values[i] = static_cast<float>(i);
}
__global__ void copies(const float* from, float* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];  // fault
}
DEFECT(one_element_left_out, "uninitialised", "values[63]") {
  const Buffer<float> values("values", 64, Contents::nothing), out("out", 64, Contents::nothing);
  all_but_the_last<<<2, 32>>>(values.data(), 64);
  copies<<<2, 32>>>(values.data(), out.data());
}

// Of every word three bytes are written.
__global__ void three_bytes_of_four(unsigned char* bytes) {
  const int i = threadIdx.x;
  if (i % 4 != 3) bytes[i] = static_cast<unsigned char>(i);
}
__global__ void reads_words(const unsigned* words, unsigned* out) {
  out[threadIdx.x] = words[threadIdx.x];  // fault
}
DEFECT(one_byte_of_a_word, "uninitialised", "") {
  const Buffer<unsigned> words("words", 32, Contents::nothing), out("out", 32, Contents::nothing);
  three_bytes_of_four<<<1, 128>>>(reinterpret_cast<unsigned char*>(words.data()));
  reads_words<<<1, 32>>>(words.data(), out.data());
}

// beta is 0, and 0 times an arbitrary number need not be 0.
template <class T>
__device__ T blend(T alpha, T product, T beta, const T* C, int i) {
  return alpha * product + beta * C[i];  // fault
}
template <class T>
__global__ void scaled(const T* in, T* C, T alpha, T beta) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  C[i] = blend(alpha, in[i], beta, C, i);
}
DEFECT(reads_the_output_for_beta_0, "uninitialised", "") {
  const Buffer<double> in("in", 200, Contents::input), C("C", 200, Contents::nothing);
  scaled<double><<<2, 100>>>(in.data(), C.data(), 1.0, 0.0);
}

__global__ void fills_pairs(float2* pairs) { pairs[threadIdx.x] = make_float2(1.0f, 2.0f); }
__global__ void reads_fours(const float4* fours, float* out) {
  const float4 four = fours[threadIdx.x];  // fault
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
DEFECT(half_of_a_float4, "uninitialised", "") {
  const Buffer<float> values("values", 66, Contents::nothing), out("out", 17, Contents::nothing);
  float* data = values.data();
  fills_pairs<<<1, 31>>>(reinterpret_cast<float2*>(data));
  reads_fours<<<1, 16>>>(reinterpret_cast<const float4*>(data), out.data());
}

__global__ void shared_never_written(float* out) {
  __shared__ float values[64];
  out[threadIdx.x] = values[threadIdx.x];  // fault
}
DEFECT(shared_never_written, "uninitialised", "which no thread has written") {
  const Buffer<float> out("out", 64, Contents::nothing);
  shared_never_written<<<1, 64>>>(out.data());
}

// Column 3 lies beyond the matrix and is not filled with zeros.
__global__ void edge_tile(const float* B, float* out, int rows, int cols) {
  __shared__ float Bs[4][4];
  const int row = threadIdx.y, col = threadIdx.x;
  if (row < rows && col < cols) Bs[row][col] = B[row * cols + col];
  __syncthreads();
  if (row == 0 && col == 0) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += Bs[row][k];  // fault
    out[0] = sum;
  }
}
DEFECT(edge_tile_not_filled, "uninitialised",
       "reads shared Bs[0][3], which no thread has written") {
  const Buffer<float> B("B", 4, 3, Contents::input), out("out", 1, Contents::nothing);
  edge_tile<<<1, dim3(4, 4)>>>(B.data(), out.data(), 4, 3);
}

// 100 threads, 128 elements.
__global__ void too_few_threads(const double* in, double* out) {
  extern __shared__ double values[];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = values[127 - threadIdx.x];  // fault
}
DEFECT(dynamic_memory_partly_filled, "uninitialised", "") {
  const Buffer<double> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  too_few_threads<<<1, 100, 128 * sizeof(double)>>>(in.data(), out.data());
}

// What one block leaves in shared memory is not there for the next.
__global__ void filled_by_the_first_block(const float* in, float* out) {
  __shared__ float values[64];
  if (blockIdx.x == 0) values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = values[63 - threadIdx.x];  // fault
}
DEFECT(shared_memory_of_another_block, "uninitialised", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 256, Contents::nothing);
  filled_by_the_first_block<<<4, 64>>>(in.data(), out.data());
}

// A structure whose second member is forgotten, read in a lambda.
struct Range {
  float low, high;
};
__global__ void half_a_structure(const float* in, float* out) {
  __shared__ Range ranges[64];
  ranges[threadIdx.x].low = in[threadIdx.x];
  __syncthreads();
  const auto width = [&](int i) {
    return ranges[i].high - ranges[i].low;  // fault
  };
  out[threadIdx.x] = width(63 - threadIdx.x);
}
DEFECT(half_a_structure, "uninitialised", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  half_a_structure<<<1, 64>>>(in.data(), out.data());
}

// An accumulator that starts from whatever is there.
__global__ void counts_from_nothing(const unsigned char* values, int* total) {
  __shared__ int count;
  if (values[threadIdx.x] > 32) atomicAdd(&count, 1);  // fault
  __syncthreads();
  if (threadIdx.x == 0) *total = count;
}
DEFECT(shared_counter_never_cleared, "uninitialised", "") {
  const Buffer<unsigned char> values("values", 64, Contents::input);
  const Buffer<int> total("total", 1, Contents::nothing);
  counts_from_nothing<<<1, 64>>>(values.data(), total.data());
}

}  // namespace
}  // namespace tilewise::defects
