// Addresses that are no multiple of what is read or written there.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// Rows of 33 floats: those of odd number do not start at a multiple of 16 bytes.
__global__ void float4_of_odd_rows(const float* A, float* out) {
  const float* row = A + threadIdx.x * 33;
  const float4 four = *reinterpret_cast<const float4*>(row);  // fault
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
DEFECT(float4_of_odd_rows, "misaligned", "") {
  const Buffer<float> A("A", 32, 33, Contents::input), out("out", 32, Contents::nothing);
  float4_of_odd_rows<<<1, 32>>>(A.data(), out.data());
}

__global__ void float2_from_an_odd_element(const float* in, float* out, int first) {
  const float2 pair = *reinterpret_cast<const float2*>(in + first + 2 * threadIdx.x);  // fault
  out[threadIdx.x] = pair.x * pair.y;
}
DEFECT(float2_from_an_odd_element, "misaligned", "") {
  const Buffer<float> in("in", 130, Contents::input), out("out", 64, Contents::nothing);
  float2_from_an_odd_element<<<1, 64>>>(in.data(), out.data(), 1);
}

__global__ void double_among_floats(float* out, int first) {
  *reinterpret_cast<double*>(out + first + 2 * threadIdx.x) = 1.0;  // fault
}
DEFECT(writes_a_double_among_floats, "misaligned", "") {
  const Buffer<float> out("out", 130, Contents::nothing);
  double_among_floats<<<2, 32>>>(out.data(), 1);
}

// In a template in a function: a word out of a stream of bytes.
template <class T>
__device__ T take(const unsigned char* bytes, int at) {
  return *reinterpret_cast<const T*>(bytes + at);  // fault
}
__global__ void words_of_three_bytes(const unsigned char* bytes, unsigned* out) {
  out[threadIdx.x] = take<unsigned>(bytes, 3 * threadIdx.x) & 0xffffffu;
}
DEFECT(word_from_bytes, "misaligned", "") {
  const Buffer<unsigned char> bytes("bytes", 304, Contents::input);
  const Buffer<unsigned> out("out", 100, Contents::nothing);
  words_of_three_bytes<<<1, 100>>>(bytes.data(), out.data());
}

// Padding a row by one float serves the banks, not the vectors.
__global__ void float4_of_padded_rows(const float* in, float* out) {
  __shared__ __align__(16) float tile[8][33];
  const int row = threadIdx.y, col = threadIdx.x;
  for (int i = 0; i < 32; i += 8) tile[row][col + i] = in[row * 32 + col + i];
  __syncthreads();
  const float4 four = *reinterpret_cast<const float4*>(&tile[row][4 * col]);  // fault
  out[row * 8 + col] = four.x + four.y + four.z + four.w;
}
DEFECT(float4_of_padded_shared_rows, "misaligned", "") {
  const Buffer<float> in("in", 8, 32, Contents::input), out("out", 64, Contents::nothing);
  float4_of_padded_rows<<<1, dim3(8, 8)>>>(in.data(), out.data());
}

// Doubles behind an odd number of floats in dynamic shared memory.
__global__ void carved(const double* in, double* out, int floats) {
  extern __shared__ __align__(16) unsigned char memory[];
  double* values = reinterpret_cast<double*>(memory + floats * sizeof(float));
  values[threadIdx.x] = in[threadIdx.x];   // fault
  out[threadIdx.x] = values[threadIdx.x];  // fault
}
DEFECT(doubles_carved_behind_floats, "misaligned", "") {
  const Buffer<double> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  carved<<<1, 32, 33 * sizeof(float) + 32 * sizeof(double)>>>(in.data(), out.data(), 33);
}

}  // namespace
}  // namespace tilewise::defects
