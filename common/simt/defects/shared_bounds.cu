// Shared memory: indices outside their dimension, by address often inside another row or array.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// By address As[3][17] is As[4][1]; only the declaration says that it is wrong.
__global__ void reads_past_a_row(const float* in, float* out, int shift) {
  __shared__ float As[16][16];
  As[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  __syncthreads();
  if (threadIdx.y == 3 && threadIdx.x == 1) {
    out[0] = As[threadIdx.y][threadIdx.x + shift];  // fault
  }
}
DEFECT(reads_past_a_row, "out-of-bounds",
       "As[3][17] is outside float As[16][16] (thread (1, 3, 0) of block (0, 0, 0) reads it)") {
  const Buffer<float> in("in", 16, 16, Contents::input), out("out", 1, Contents::nothing);
  reads_past_a_row<<<1, dim3(16, 16)>>>(in.data(), out.data(), 16);
}

__global__ void writes_past_a_row(const float* in, float* out, int shift) {
  __shared__ float As[16][16];
  As[threadIdx.y][threadIdx.x + shift] = in[threadIdx.y * 16 + threadIdx.x];  // fault
  __syncthreads();
  if (threadIdx.x > 0) out[threadIdx.y * 16 + threadIdx.x] = As[threadIdx.y][threadIdx.x];
}
DEFECT(writes_past_a_row, "out-of-bounds", "is outside float As[16][16]") {
  const Buffer<float> in("in", 16, 16, Contents::input), out("out", 16, 16, Contents::zeros);
  writes_past_a_row<<<1, dim3(16, 16)>>>(in.data(), out.data(), 1);
}

// k runs one column too far.
__global__ void one_column_too_many(const float* in, float* out, int columns) {
  __shared__ float As[8][8];
  As[threadIdx.y][threadIdx.x] = in[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k <= columns; ++k) sum += As[threadIdx.y][k];  // fault
  out[(blockIdx.x * 8 + threadIdx.y) * 8 + threadIdx.x] = sum;
}
DEFECT(one_column_too_many, "out-of-bounds", "is outside float As[8][8]") {
  const Buffer<float> in("in", 8, 8, Contents::input), out("out", 16, 8, Contents::nothing);
  one_column_too_many<<<2, dim3(8, 8)>>>(in.data(), out.data(), 8);
}

// As[16][x] is where Bs begins.
__global__ void runs_into_the_next_array(const float* in, float* out, int below) {
  __shared__ float As[16][16], Bs[16][16];
  As[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x];
  Bs[threadIdx.y][threadIdx.x] = 1.0f;
  __syncthreads();
  const float value = As[threadIdx.y + below][threadIdx.x];  // fault
  out[threadIdx.y * 16 + threadIdx.x] = value + Bs[threadIdx.y][threadIdx.x];
}
DEFECT(reads_into_the_next_array, "out-of-bounds", "As[16][") {
  const Buffer<float> in("in", 16, 16, Contents::input), out("out", 16, 16, Contents::nothing);
  runs_into_the_next_array<<<1, dim3(16, 16)>>>(in.data(), out.data(), 1);
}

__global__ void overwrites_the_next_array(const float* in, float* out, int n) {
  __shared__ float first[64], second[64];
  second[threadIdx.x] = 0.0f;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) first[i] = in[i];  // fault
  __syncthreads();
  out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}
DEFECT(writes_into_the_next_array, "out-of-bounds", "is outside float first[64]") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 64, Contents::nothing);
  overwrites_the_next_array<<<1, 64>>>(in.data(), out.data(), 66);
}

__global__ void negative_index(const float* in, float* out) {
  __shared__ float row[128];
  const int i = threadIdx.x;
  row[i] = in[i];
  __syncthreads();
  out[i] = row[i] - row[i - 1];  // fault
}
DEFECT(negative_shared_index, "out-of-bounds", "row[-1] is outside float row[128]") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  negative_index<<<1, 128>>>(in.data(), out.data());
}

// The launch gives half of what the kernel uses.
__global__ void doubles_in_dynamic_memory(const double* in, double* out) {
  extern __shared__ double values[];
  values[threadIdx.x] = in[threadIdx.x];   // fault
  out[threadIdx.x] = values[threadIdx.x];  // fault
}
DEFECT(dynamic_memory_too_small, "out-of-bounds", "") {
  const Buffer<double> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  doubles_in_dynamic_memory<<<1, 64, 64 * sizeof(float)>>>(in.data(), out.data());
}

// Through a pointer nothing but the address tells.
__device__ float sum_of(const float* values, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += values[i];  // fault
  return sum;
}
__global__ void sums_through_a_pointer(const float* in, float* out, int columns) {
  __shared__ float tile[4][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) out[threadIdx.y] = sum_of(tile[threadIdx.y], columns);
}
DEFECT(past_the_end_through_a_pointer, "out-of-bounds", "") {
  const Buffer<float> in("in", 4, 32, Contents::input), out("out", 4, Contents::nothing);
  sums_through_a_pointer<<<1, dim3(32, 4)>>>(in.data(), out.data(), 33);
}

// Values run to 64, bins to 63.
__global__ void shared_histogram(const unsigned char* values, int* out, int n) {
  __shared__ int bins[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    atomicAdd(&bins[values[i]], 1);  // fault
  }
  __syncthreads();
  if (threadIdx.x < 64) out[threadIdx.x] = bins[threadIdx.x];
}
DEFECT(shared_atomic_past_the_end, "out-of-bounds", "bins[64] is outside int bins[64]") {
  const Buffer<unsigned char> values("values", 64, Contents::input);  // 1 to 64
  const Buffer<int> out("out", 64, Contents::nothing);
  shared_histogram<<<1, 100>>>(values.data(), out.data(), 64);
}

// In a template, on doubles: a tile of one edge, a loop over another.
template <class T, int Edge>
__global__ void diagonal_sums(const T* in, T* out, int edge) {
  __shared__ T tile[Edge][Edge];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * Edge + threadIdx.x];
  __syncthreads();
  T sum = 0;
  for (int k = 0; k < edge; ++k) sum += tile[k][k];  // fault
  out[threadIdx.y * Edge + threadIdx.x] = sum;
}
DEFECT(in_a_template_on_shared_doubles, "out-of-bounds",
       "tile[8][8] is outside double tile[8][8]") {
  const Buffer<double> in("in", 8, 8, Contents::input), out("out", 8, 8, Contents::nothing);
  diagonal_sums<double, 8><<<1, dim3(8, 8)>>>(in.data(), out.data(), 9);
}

// In a function that knows the array's type.
__device__ void store_transposed(float (&tile)[8][9], float value, int columns) {
  tile[threadIdx.x * columns / 8][threadIdx.y] = value;  // fault
}
__global__ void transposes(const float* in, float* out, int columns) {
  __shared__ float tile[8][9];
  store_transposed(tile, in[threadIdx.y * 8 + threadIdx.x], columns);
  __syncthreads();
  if (threadIdx.y == 0) out[threadIdx.x] = tile[0][threadIdx.x];
}
DEFECT(through_a_reference, "out-of-bounds", "[8]") {
  const Buffer<float> in("in", 8, 8, Contents::input), out("out", 8, Contents::nothing);
  transposes<<<1, dim3(8, 8)>>>(in.data(), out.data(), 10);
}

// Vectors of four, in a lambda.
__global__ void rotates_vectors(const float4* in, float4* out, int shift) {
  __shared__ float4 row[32];
  row[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const auto rotated = [&](int i) {
    const float4 four = row[i + shift];  // fault
    return make_float4(four.w, four.x, four.y, four.z);
  };
  out[threadIdx.x] = rotated(threadIdx.x);
}
DEFECT(in_a_lambda_on_shared_float4, "out-of-bounds", "") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  rotates_vectors<<<1, 32>>>(reinterpret_cast<const float4*>(in.data()),
                             reinterpret_cast<float4*>(out.data()), 1);
}

// The first of two arrays in a structure runs into the second.
struct Halves {
  float low[4];
  float high[4];
};
__global__ void array_in_a_structure(const float* in, float* out, int count) {
  __shared__ Halves halves[8];
  for (int i = 0; i < 4; ++i) {
    halves[threadIdx.x].low[i] = in[threadIdx.x * 4 + i];
    halves[threadIdx.x].high[i] = 0.0f;
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += halves[7 - threadIdx.x].low[i];  // fault
  out[threadIdx.x] = sum;
}
DEFECT(array_in_a_structure, "out-of-bounds", "") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 8, Contents::nothing);
  array_in_a_structure<<<1, 8>>>(in.data(), out.data(), 5);
}

// Three dimensions: the middle one is left, the address is not.
__global__ void middle_dimension(const float* in, float* out, int below) {
  __shared__ float cube[4][4][4];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  cube[z][y][x] = in[(z * 4 + y) * 4 + x];
  __syncthreads();
  out[(z * 4 + y) * 4 + x] = z < 3 ? cube[z][y + below][x] : 0.0f;  // fault
}
DEFECT(middle_dimension, "out-of-bounds", "is outside float cube[4][4][4]") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  middle_dimension<<<1, dim3(4, 4, 4)>>>(in.data(), out.data(), 1);
}

// Declared at file scope.
__shared__ int rows_of_the_file[4][8];
__global__ void one_row_too_many(const int* in, int* out) {
  const int row = threadIdx.x / 8, col = threadIdx.x % 8;
  rows_of_the_file[row][col] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = rows_of_the_file[row + 1][col] + 1;  // fault
}
DEFECT(row_of_an_array_at_file_scope, "out-of-bounds",
       "is outside int rows_of_the_file[4][8]") {
  const Buffer<int> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  one_row_too_many<<<1, 32>>>(in.data(), out.data());
}

}  // namespace
}  // namespace tilewise::defects
