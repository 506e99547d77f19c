// By cooperative groups: tiles of a warp reduce, and a warp walks along each row, twice.

#include "reduction.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cfloat>
#include <cstddef>

namespace cg = cooperative_groups;

namespace {

constexpr int block_size = 256;

using Warp = cg::thread_block_tile<32>;

__device__ float own_part(const float* x, std::size_t n) {
  float own = 0;
  const std::size_t step = std::size_t(gridDim.x) * blockDim.x;
#pragma unroll 4
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    own += x[i];
  }
  return own;
}

// Every warp leaves one number.
__global__ void leave_sums_of_warps(const float* x, std::size_t n, float* sums) {
  const Warp tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float sum = cg::reduce(tile, own_part(x, n), cg::plus<float>());
  if (tile.thread_rank() == 0) {
    sums[blockIdx.x * tile.meta_group_size() + tile.meta_group_rank()] = sum;
  }
}

__global__ void add_up_by_one_warp(const float* sums, int count, float* sum) {
  const Warp tile = cg::tiled_partition<32>(cg::this_thread_block());
  float own = 0;
  for (int i = tile.thread_rank(); i < count; i += tile.size()) own += sums[i];
  own = cg::reduce(tile, own, cg::plus<float>());
  if (tile.thread_rank() == 0) *sum = own;
}

// Sequential addressing by dynamic shared memory; the first launch of two of them, or the second.
__global__ void add_up_in_shared_memory(const float* x, std::size_t n, float* sums) {
  extern __shared__ float numbers[];
  const cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  numbers[t] = own_part(x, n);
  block.sync();
  for (unsigned count = block.size(); count > 1; count = (count + 1) / 2) {
    const unsigned half = (count + 1) / 2;
    if (t + half < count) numbers[t] += numbers[t + half];
    block.sync();
  }
  if (t == 0) sums[blockIdx.x] = numbers[0];
}

__global__ void clear(float* sum) { *sum = 0; }

__global__ void add_to_sum(const float* x, std::size_t n, float* sum) {
  const Warp tile = cg::tiled_partition<32>(cg::this_thread_block());
  const float own = cg::reduce(tile, own_part(x, n), cg::plus<float>());
  if (tile.thread_rank() == 0) atomicAdd(sum, own);
}

constexpr int most_blocks = 1056;
__device__ float scratch[most_blocks * block_size / 32];

int blocks_for(int n) {
  const int blocks = (n - 1) / (4 * block_size) + 1;
  return blocks < most_blocks ? blocks : most_blocks;
}

__global__ void multiply(int m, int n, float alpha, const float* A, std::size_t lda, const float* x,
                         float beta, float* y) {
  const Warp tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= m) return;
  float own = 0;
  if (alpha != 0) {
#pragma unroll 4
    for (int col = tile.thread_rank(); col < n; col += 32) own += A[row * lda + col] * x[col];
    own = alpha * cg::reduce(tile, own, cg::plus<float>());
  }
  if (tile.thread_rank() > 0) return;
  if (beta != 0) own += beta * y[row];
  y[row] = own;
}

// The maximum and the sum grow together, element by element.
__global__ void softmax_by_warps(float* out, const float* in, int rows, int cols) {
  const Warp tile = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t row = std::size_t(blockIdx.x) * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= std::size_t(rows)) return;
  const float* const x = in + row * cols;
  float max = -FLT_MAX, sum = 0;
#pragma unroll 4
  for (int col = tile.thread_rank(); col < cols; col += 32) {
    const float value = x[col];
    if (value > max) {
      sum *= expf(max - value);
      max = value;
    }
    sum += expf(value - max);
  }
  const float whole = cg::reduce(tile, max, cg::greater<float>());
  sum = cg::reduce(tile, sum * expf(max - whole), cg::plus<float>());
  for (int col = tile.thread_rank(); col < cols; col += 32) {
    out[row * cols + col] = expf(x[col] - whole) / sum;
  }
}

}  // namespace

cudaError_t sum_shared(float* sum, const float* x, int n) {
  if (n < 0 || (n > 0 && (!sum || !x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  float* sums;
  if (const cudaError_t e = cudaGetSymbolAddress((void**)&sums, scratch)) return e;
  const int blocks = blocks_for(n);
  add_up_in_shared_memory<<<blocks, block_size, block_size * sizeof(float)>>>(x, n, sums);
  add_up_in_shared_memory<<<1, block_size, block_size * sizeof(float)>>>(sums, blocks, sum);
  return cudaGetLastError();
}

cudaError_t sum_shuffle(float* sum, const float* x, int n) {
  if (n < 0 || (n > 0 && (!sum || !x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  float* sums;
  if (const cudaError_t e = cudaGetSymbolAddress((void**)&sums, scratch)) return e;
  const int blocks = blocks_for(n);
  leave_sums_of_warps<<<blocks, block_size>>>(x, n, sums);
  add_up_by_one_warp<<<1, 32>>>(sums, blocks * (block_size / 32), sum);
  return cudaGetLastError();
}

cudaError_t sum_atomic(float* sum, const float* x, int n) {
  if (n < 0 || (n > 0 && (!sum || !x))) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  clear<<<1, 1>>>(sum);
  add_to_sum<<<blocks_for(n), block_size>>>(x, n, sum);
  return cudaGetLastError();
}

cudaError_t gemv(int m, int n, float alpha, const float* A, int lda, const float* x, float beta,
                 float* y) {
  if (m < 0 || n < 0 || lda < n || lda < 1) return cudaErrorInvalidValue;
  if (m == 0 || n == 0) return cudaSuccess;
  if (!y || (alpha != 0 && (!A || !x))) return cudaErrorInvalidValue;
  multiply<<<(m + 7) / 8, 256>>>(m, n, alpha, A, lda, x, beta, y);
  return cudaGetLastError();
}

cudaError_t softmax_rows(float* out, const float* in, int rows, int cols) {
  if (rows < 0 || cols < 0) return cudaErrorInvalidValue;
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (!out || !in) return cudaErrorInvalidValue;
  softmax_by_warps<<<(rows - 1) / 4 + 1, 128>>>(out, in, rows, cols);
  return cudaGetLastError();
}
