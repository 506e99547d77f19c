// Pointers that a kernel must not follow: to host memory, to freed memory, null.

#include <vector>

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

__global__ void doubles(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = in[i];  // fault
  out[i] = 2 * value;
}
DEFECT(reads_host_memory, "host-pointer", "") {
  const std::vector<float> in(64, 1.0f);
  const Buffer<float> out("out", 64, Contents::nothing);
  doubles<<<2, 32>>>(in.data(), out.data());
}
DEFECT(reads_the_hosts_stack, "host-pointer", "") {
  float in[64] = {};
  const Buffer<float> out("out", 64, Contents::nothing);
  doubles<<<2, 32>>>(in, out.data());
}
DEFECT(reads_freed_memory, "host-pointer", "") {
  const Buffer<float> out("out", 64, Contents::nothing);
  float* stale = nullptr;
  check(cudaMalloc(&stale, 64 * sizeof(float)));
  check(cudaMemset(stale, 0, 64 * sizeof(float)));
  cudaFree(stale);
  doubles<<<2, 32>>>(stale, out.data());
}
DEFECT(reads_a_null_pointer, "host-pointer", "") {
  const Buffer<float> out("out", 64, Contents::nothing);
  doubles<<<2, 32>>>(nullptr, out.data());
}

__global__ void sets(double* out) {
  out[threadIdx.x] = 1.0;  // fault
}
DEFECT(writes_host_memory, "host-pointer", "") {
  std::vector<double> out(64);
  sets<<<1, 64>>>(out.data());
}
DEFECT(writes_freed_memory, "host-pointer", "") {
  double* stale = nullptr;
  check(cudaMalloc(&stale, 64 * sizeof(double)));
  cudaFree(stale);
  sets<<<1, 64>>>(stale);
}
DEFECT(writes_through_a_null_pointer, "host-pointer", "") { sets<<<1, 64>>>(nullptr); }

// The structure is passed by value, but what it points to is the host's.
struct Matrix {
  const float* elements;
  int columns;
};
template <class Matrix>
__device__ float element(const Matrix& A, int row, int col) {
  return A.elements[row * A.columns + col];  // fault
}
__global__ void row_sums(Matrix A, float* sums) {
  float sum = 0;
  for (int col = 0; col < A.columns; ++col) sum += element(A, threadIdx.x, col);
  sums[threadIdx.x] = sum;
}
DEFECT(host_pointer_in_a_structure, "host-pointer", "") {
  const std::vector<float> elements(64, 1.0f);
  const Buffer<float> sums("sums", 8, Contents::nothing);
  row_sums<<<1, 8>>>(Matrix{elements.data(), 8}, sums.data());
}

// An array of rows, itself in device memory, whose rows are not.
__global__ void reads_rows(const float* const* rows, float* out) {
  out[threadIdx.x] = rows[threadIdx.y][threadIdx.x];  // fault
}
DEFECT(host_pointers_in_device_memory, "host-pointer", "") {
  const std::vector<float> row(32, 1.0f);
  const float* const host_rows[1] = {row.data()};
  const float** rows = nullptr;
  check(cudaMalloc(&rows, sizeof host_rows));
  check(cudaMemcpy(rows, host_rows, sizeof host_rows, cudaMemcpyHostToDevice));
  const Buffer<float> out("out", 32, Contents::nothing);
  reads_rows<<<1, 32>>>(rows, out.data());
  cudaFree(rows);
}

}  // namespace
}  // namespace tilewise::defects
