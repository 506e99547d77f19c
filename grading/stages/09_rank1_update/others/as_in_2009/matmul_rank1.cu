// The sizes of 2009: 64 threads with a column of 16 results each, a tile of A of 16 x 16 as it lies
// in memory, and one element of B at a time. Beyond the edges the last row or column comes again.

#include "matmul_rank1.hpp"

using std::size_t;

namespace {

constexpr unsigned side = 32, depth = 16;

/// A matrix that ends nowhere: what lies beyond its last row or column is 0.
struct Matrix {
  const float* first;
  unsigned n;

  __device__ float operator()(unsigned row, unsigned col) const {
    const float value = first[size_t{min(row, n - 1)} * n + min(col, n - 1)];
    return row < n && col < n ? value : 0.0f;
  }
};

struct Output {
  float* first;
  unsigned n;

  __device__ void put(unsigned row, unsigned col, float value) const {
    if (row >= n || col >= n) return;
    first[size_t{row} * n + col] = value;
  }
};

}  // namespace

template <bool Transposed>
__global__ void two_rows(Matrix A, Matrix B, Output C) {
  __shared__ float a[side][side], b[side][side + 1];
  const unsigned x = threadIdx.x, y = threadIdx.y, upper = y, lower = y + blockDim.y;
  const unsigned row = blockIdx.y * side, col = blockIdx.x * side;
  float of_upper = 0, of_lower = 0;
  for (unsigned step = 0; step * side < A.n; ++step) {
    a[upper][x] = A(row + upper, step * side + x);
    a[lower][x] = A(row + lower, step * side + x);
    (Transposed ? b[x][upper] : b[upper][x]) = B(step * side + upper, col + x);
    (Transposed ? b[x][lower] : b[lower][x]) = B(step * side + lower, col + x);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < side; ++k) {
      const float factor = Transposed ? b[x][k] : b[k][x];
      of_upper = fmaf(a[upper][k], factor, of_upper);
      of_lower = fmaf(a[lower][k], factor, of_lower);
    }
    __syncthreads();
  }
  C.put(row + upper, col + x, of_upper);
  C.put(row + lower, col + x, of_lower);
}

__global__ void rank1(Matrix A, Matrix B, Output C) {
  __shared__ float a[depth][depth];  // (row, k)
  const unsigned row = blockIdx.y * depth, col = blockIdx.x * blockDim.x + threadIdx.x;
  float c[depth] = {0};
  for (unsigned from = 0; from < A.n; from += depth) {
    for (unsigned i = threadIdx.x / depth; i < depth; i += blockDim.x / depth) {
      a[i][threadIdx.x % depth] = A(row + i, from + threadIdx.x % depth);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < depth; ++k) {
      const float b = B(from + k, col);
#pragma unroll
      for (unsigned i = 0; i < depth; ++i) c[i] += a[i][k] * b;
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < depth; ++i) C.put(row + i, col, c[i]);
}

template <typename Kernel>
static cudaError_t run(Kernel kernel, dim3 results, dim3 threads, const float* A, const float* B,
                       float* C, int n) {
  if (n == 0) return cudaSuccess;
  if (n < 0 || A == nullptr || B == nullptr || C == nullptr) return cudaErrorInvalidValue;
  const unsigned order = n;
  const dim3 grid((order - 1) / results.x + 1, (order - 1) / results.y + 1);
  kernel<<<grid, threads>>>(Matrix{A, order}, Matrix{B, order}, Output{C, order});
  return cudaGetLastError();
}

cudaError_t matmul_two_rows(const float* A, const float* B, float* C, int n) {
  return run(two_rows<false>, dim3(32, 32), dim3(32, 16), A, B, C, n);
}

cudaError_t matmul_two_rows_transposed(const float* A, const float* B, float* C, int n) {
  return run(two_rows<true>, dim3(32, 32), dim3(32, 16), A, B, C, n);
}

cudaError_t matmul_rank1(const float* A, const float* B, float* C, int n) {
  return run(rank1, dim3(64, 16), dim3(64), A, B, C, n);
}
