// Global memory: indices outside the buffer they are meant for.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// The first thread has no left neighbour.
__global__ void reads_before_the_start(const float* in, float* out) {
  const int i = threadIdx.x;
  out[i] = in[i - 1];  // fault
}
DEFECT(reads_before_the_start, "out-of-bounds", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  reads_before_the_start<<<1, 64>>>(in.data(), out.data());
}

__global__ void writes_before_the_start(float* out) {
  const int i = threadIdx.x;
  out[i - 4] = 1.0f;  // fault
}
DEFECT(writes_before_the_start, "out-of-bounds", "") {
  const Buffer<float> out("out", 64, Contents::nothing);
  writes_before_the_start<<<1, 64>>>(out.data());
}

// 250 elements, 4 blocks of 64 threads, and no `if (i < n)`.
__global__ void writes_past_the_end(float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = static_cast<float>(i);  // fault
}
DEFECT(writes_past_the_end, "out-of-bounds", "") {
  const Buffer<float> out("out", 250, Contents::nothing);
  writes_past_the_end<<<4, 64>>>(out.data());
}

// The usual `<=`.
__global__ void one_too_many(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[i];  // fault
}
DEFECT(one_too_many, "out-of-bounds", "") {
  const Buffer<float> in("in", 37, Contents::input), out("out", 37, Contents::nothing);
  one_too_many<<<3, 16>>>(in.data(), out.data(), 37);
}

// 37 x 37 in 16 x 16 tiles: the last ones stick out below, where only columns are guarded.
__global__ void rows_unguarded(const float* A, float* tiles, int n) {
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  if (col < n) tiles[row * n + col] = A[row * n + col];  // fault
}
DEFECT(rows_unguarded, "out-of-bounds", "past the end of A (37 x 37)") {
  const Buffer<float> A("A", 37, 37, Contents::input), tiles("tiles", 48, 37, Contents::nothing);
  rows_unguarded<<<dim3(3, 3), dim3(16, 16)>>>(A.data(), tiles.data(), 37);
}

// One thread alone goes astray, so that the message is known to the last word.
__global__ void first_column(const float* A, float* out, int n) {
  const int row = threadIdx.x;
  if (row <= n) out[row] = A[row * n];  // fault
}
DEFECT(row_after_the_last, "out-of-bounds",
       "thread (37, 0, 0) of block (0, 0, 0) reads A[37][0], past the end of A (37 x 37)") {
  const Buffer<float> A("A", 37, 37, Contents::input), out("out", 38, Contents::nothing);
  first_column<<<1, 64>>>(A.data(), out.data(), 37);
}

// `||` where `&&` was meant.
__global__ void wrong_guard(float* C, int n) {
  const int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  if (row < n || col < n) C[row * n + col] = static_cast<float>(row);  // fault
}
DEFECT(wrong_guard, "out-of-bounds", "") {
  const Buffer<float> C("C", 8, 8, Contents::nothing);
  wrong_guard<<<dim3(1, 2), dim3(8, 8)>>>(C.data(), 8);
}

// Two buffers and the band between them are one allocation, as in a grader: 16 elements too many.
__global__ void fills(float* out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 2.0f;  // fault
}
DEFECT(writes_into_the_guard_band, "out-of-bounds", "") {
  float* memory = nullptr;
  check(cudaMalloc(&memory, 3 * 64 * sizeof(float)));
  describe(memory, "first", 1, 64, Contents::nothing);
  describe(memory + 128, "second", 1, 64, Contents::nothing);
  fills<<<1, 32>>>(memory, 80);
  cudaFree(memory);
}

// Row 65535 of a matrix with 65537 columns: 2^32 - 1, which an int holds as -1.
__global__ void index_overflows(const float* in, float* out, unsigned row, unsigned columns) {
  const int index = static_cast<int>(row * columns);
  out[threadIdx.x] = in[index];  // fault
}
DEFECT(index_overflows, "out-of-bounds", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 32, Contents::nothing);
  index_overflows<<<1, 32>>>(in.data(), out.data(), 65535, 65537);
}

// The prefetch of the last step fetches a tile that is not there.
__global__ void prefetches_past_the_end(const float* in, float* out, int tiles) {
  float next = in[threadIdx.x];
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    const float value = next;
    next = in[(tile + 1) * 32 + threadIdx.x];  // fault
    sum += value * next;
  }
  out[threadIdx.x] = sum;
}
DEFECT(prefetches_past_the_end, "out-of-bounds", "") {
  const Buffer<float> in("in", 4 * 32, Contents::input), out("out", 32, Contents::nothing);
  prefetches_past_the_end<<<1, 32>>>(in.data(), out.data(), 4);
}

// In a function, on doubles, in a block of 100.
__device__ double right_neighbour(const double* values, int i) {
  return values[i + 1];  // fault
}
__global__ void differences(const double* in, double* out) {
  const int i = threadIdx.x;
  out[i] = right_neighbour(in, i) - in[i];
}
DEFECT(in_a_function_on_doubles, "out-of-bounds", "") {
  const Buffer<double> in("in", 100, Contents::input), out("out", 100, Contents::nothing);
  differences<<<1, 100>>>(in.data(), out.data());
}

// In a template, on bytes.
template <class T, int Stride>
__device__ void put(T* out, int i, T value) {
  out[i * Stride] = value;  // fault
}
template <class T>
__global__ void strided(T* out) {
  put<T, 2>(out, threadIdx.x, static_cast<T>(threadIdx.x));
}
DEFECT(in_a_template_on_bytes, "out-of-bounds", "") {
  const Buffer<unsigned char> out("out", 126, Contents::nothing);
  strided<<<1, 64>>>(out.data());
}

// In a lambda, on pairs: element 32 of 32.
__global__ void mirrored_pairs(const float2* in, float2* out) {
  const int n = blockDim.x;
  const auto mirrored = [&](int i) {
    const float2 pair = in[n - i];  // fault
    return make_float2(pair.y, pair.x);
  };
  out[threadIdx.x] = mirrored(threadIdx.x);
}
DEFECT(in_a_lambda_on_float2, "out-of-bounds", "") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  mirrored_pairs<<<1, 32>>>(reinterpret_cast<const float2*>(in.data()),
                            reinterpret_cast<float2*>(out.data()));
}

// 30 floats are seven and a half of four: the last one begins inside and ends outside.
__global__ void sums_of_four(const float4* in, float* out) {
  const float4 four = in[threadIdx.x];  // fault
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}
DEFECT(float4_half_outside, "out-of-bounds",
       "reads 16 bytes at once from in[28] on, of which the last 8 are past the end of in (30 ") {
  const Buffer<float> in("in", 30, Contents::input), out("out", 8, Contents::nothing);
  sums_of_four<<<1, 8>>>(reinterpret_cast<const float4*>(in.data()), out.data());
}

// Blocks and threads with a z: one layer more than the input has.
__global__ void layers(const float* in, float* out, int edge) {
  const int x = threadIdx.x, y = threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  const int i = (z * edge + y) * edge + x;
  out[i] = in[i];  // fault
}
DEFECT(one_layer_too_many, "out-of-bounds", "") {
  const Buffer<float> in("in", 125, Contents::input), out("out", 150, Contents::nothing);
  layers<<<dim3(1, 1, 3), dim3(5, 5, 2)>>>(in.data(), out.data(), 5);
}

__global__ void counts(const unsigned char* values, int* bins) {
  atomicAdd(&bins[values[threadIdx.x]], 1);  // fault
}
DEFECT(atomic_past_the_end, "out-of-bounds", "") {
  const Buffer<unsigned char> values("values", 64, Contents::input);  // 1 to 64
  const Buffer<int> bins("bins", 64, Contents::zeros);
  counts<<<1, 64>>>(values.data(), bins.data());
}

// By the library's functions, of as many bytes as an argument says.
__global__ void clears_too_much(char* out, int bytes) {
  memset(out, 0, bytes);  // fault
}
DEFECT(memset_of_too_many_bytes, "out-of-bounds", "writes out[100], past the end of out") {
  const Buffer<char> out("out", 100, Contents::nothing);
  clears_too_much<<<1, 1>>>(out.data(), 101);
}

__global__ void copies_too_much(const char* in, char* out, int bytes) {
  memcpy(out, in, bytes);  // fault
}
DEFECT(memcpy_of_too_many_bytes, "out-of-bounds", "reads in[100], past the end of in") {
  const Buffer<char> in("in", 100, Contents::input), out("out", 104, Contents::nothing);
  copies_too_much<<<1, 1>>>(in.data(), out.data(), 103);
}

// In a function that does nothing else, so that the call is its last instruction.
template <class T>
__device__ void clear(T* at, int count) {
  memset(at, 0, count * sizeof(T));  // fault
}
__global__ void clears_rows(float* out, int rows) {
  for (int row = 0; row < rows; ++row) clear(out + row * 8, 8);
}
DEFECT(memset_in_a_function, "out-of-bounds", "past the end of out") {
  const Buffer<float> out("out", 4, 8, Contents::nothing);
  clears_rows<<<1, 1>>>(out.data(), 5);
}

}  // namespace
}  // namespace tilewise::defects
