// Copies into shared memory that are read, overwritten or robbed of their source while they are on
// their way.

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cuda/pipeline>

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// Each thread reads what it copied itself, and does not wait.
__global__ void reads_at_once(const float* in, float* out) {
  __shared__ float values[64];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(float));  // fault
  __pipeline_commit();
  out[threadIdx.x] = values[threadIdx.x];  // fault: other side
  __pipeline_wait_prior(0);
}
DEFECT(copy_without_a_wait, "race", "is still bringing it: nothing has waited for it") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  reads_at_once<<<1, 64>>>(in.data(), out.data());
}

// A barrier is no wait.
__global__ void takes_a_barrier_for_a_wait(const float4* in, float4* out) {
  __shared__ float4 values[64];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(float4));  // fault
  __pipeline_commit();
  __syncthreads();
  out[threadIdx.x] = values[63 - threadIdx.x];  // fault: other side
}
DEFECT(copy_with_a_barrier_only, "race", "race on shared values[") {
  const Buffer<float> in("in", 256, Contents::input), out("out", 256, Contents::nothing);
  takes_a_barrier_for_a_wait<<<1, 64>>>(reinterpret_cast<const float4*>(in.data()),
                                        reinterpret_cast<float4*>(out.data()));
}

// Two tiles are on their way, and the wait is for the one before the last: but the last is read.
__global__ void waits_for_too_little(const float* in, float* out, int tiles) {
  __shared__ float tile[2][32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][i], &in[i], sizeof(float));
  __pipeline_commit();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&tile[(t + 1) % 2][i], &in[32 * (t + 1) + i], sizeof(float));  // fault
    }
    __pipeline_commit();
    __pipeline_wait_prior(t + 2 < tiles ? 1 : 2);
    __syncthreads();
    sum += tile[t % 2][31 - i];  // fault: other side
    __syncthreads();
  }
  out[i] = sum;
}
DEFECT(wait_for_too_little, "race", "leaves it on its way") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 32, Contents::nothing);
  waits_for_too_little<<<1, 32>>>(in.data(), out.data(), 4);
}

// Whoever has waited has what it copied itself, not what others did.
__global__ void no_barrier_behind_the_wait(const double* in, double* out) {
  __shared__ double values[64];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(double));  // fault
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = values[63 - threadIdx.x];  // fault: other side
}
DEFECT(no_barrier_behind_the_wait, "race", "race on shared values[") {
  const Buffer<double> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  no_barrier_behind_the_wait<<<1, 64>>>(in.data(), out.data());
}

// The same without any barrier is a race as of plain stores.
__global__ void no_barrier_at_all(const int* in, int* out) {
  __shared__ int values[64];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(int));  // fault
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = values[63 - threadIdx.x];  // fault: other side
}
DEFECT(copy_without_a_barrier, "race", "race on shared values[") {
  const Buffer<int> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  no_barrier_at_all<<<1, 64>>>(in.data(), out.data());
}

// The source is cleared before it has been read.
__global__ void clears_the_source(float* queue, float* out) {
  __shared__ float values[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&values[i], &queue[i], sizeof(float));  // fault
  __pipeline_commit();
  queue[i] = 0.0f;  // fault: other side
  __pipeline_wait_prior(0);
  out[i] = values[i];
}
DEFECT(source_changed_under_a_copy, "race", "has yet to read it") {
  const Buffer<float> queue("queue", 32, Contents::zeros), out("out", 32, Contents::nothing);
  clears_the_source<<<1, 32>>>(queue.data(), out.data());
}

// The buffer is filled by hand while a copy to it is on its way.
__global__ void fills_what_is_being_filled(const float* in, float* out, int n) {
  __shared__ float values[32];
  const int i = threadIdx.x;
  __pipeline_memcpy_async(&values[i], &in[i], sizeof(float));  // fault
  __pipeline_commit();
  if (i >= n) values[i] = 0.0f;  // fault: other side
  __pipeline_wait_prior(0);
  __syncthreads();
  out[i] = values[31 - i];
}
DEFECT(target_changed_under_a_copy, "race", "is still bringing it") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  fills_what_is_being_filled<<<1, 32>>>(in.data(), out.data(), 20);
}

__global__ void copies_past_the_end(const float* in, float* out) {
  __shared__ float values[32];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x + 1], sizeof(float));  // fault
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(copy_past_the_end, "out-of-bounds", "reads in[32]") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  copies_past_the_end<<<1, 32>>>(in.data(), out.data());
}

// Right: two tiles in turns, zeros behind the end, and a barrier on either side.
__global__ void double_buffer(const float* in, float* out, int n) {
  __shared__ float tile[2][64];
  const int i = threadIdx.x;
  const auto fetch = [&](int first) {
    const bool inside = first + i < n;
    __pipeline_memcpy_async(&tile[first / 64 % 2][i], &in[inside ? first + i : 0], sizeof(float),
                            inside ? 0 : sizeof(float));
    __pipeline_commit();
  };
  fetch(0);
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    fetch(first + 64);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int k = 0; k < 64; ++k) sum += tile[first / 64 % 2][k];
    __syncthreads();
  }
  __pipeline_wait_prior(0);
  out[i] = sum;
}
CORRECT(double_buffer_by_async_copies) {
  const Buffer<float> in("in", 200, Contents::input), out("out", 64, Contents::nothing);
  double_buffer<<<1, 64>>>(in.data(), out.data(), 200);
  float sum = 0;
  check(cudaMemcpy(&sum, out.data(), sizeof sum, cudaMemcpyDeviceToHost));
  if (sum != 10100.0f) throw std::runtime_error("copies did not arrive");
}

// Right: lanes of a warp that meet behind the wait.
__global__ void within_a_warp(const int* in, int* out) {
  __shared__ int values[64];
  const int first = static_cast<int>(threadIdx.x) / 32 * 32, lane = threadIdx.x % 32;
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  out[threadIdx.x] = values[first + 31 - lane];
}
CORRECT(async_copies_within_a_warp) {
  const Buffer<int> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  within_a_warp<<<1, 64>>>(in.data(), out.data());
}

// By a group, which waits for the first of two copies and reads the second.
__global__ void waits_for_one_of_two(const int* in, int* out) {
  namespace cg = cooperative_groups;
  __shared__ alignas(16) int first[64], second[64];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, first, in, sizeof first);
  cg::memcpy_async(block, second, in + 64, sizeof second);  // fault
  cg::wait_prior<1>(block);
  const int sum = first[63 - threadIdx.x] + second[threadIdx.x];  // fault: other side
  cg::wait(block);
  out[threadIdx.x] = sum;
}
DEFECT(group_waits_for_one_of_two, "race", "race on shared second[") {
  const Buffer<int> in("in", 128, Contents::input), out("out", 64, Contents::nothing);
  waits_for_one_of_two<<<1, 64>>>(in.data(), out.data());
}

// A pipeline of each thread: what others have copied takes a barrier, too.
__global__ void pipeline_without_a_barrier(const float* in, float* out) {
  __shared__ float values[64];
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(float), pipe);  // fault
  pipe.producer_commit();
  __syncthreads();
  pipe.consumer_wait();
  out[threadIdx.x] = values[63 - threadIdx.x];  // fault: other side
  pipe.consumer_release();
}
DEFECT(pipeline_without_a_barrier, "race", "race on shared values[") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  pipeline_without_a_barrier<<<1, 64>>>(in.data(), out.data());
}

// More is filled with zeros than is copied.
__global__ void fills_more_than_it_copies(const float* in, float* out) {
  __shared__ float values[64];
  __pipeline_memcpy_async(&values[threadIdx.x], &in[threadIdx.x], sizeof(float),  // fault
                          threadIdx.x < 60 ? 0 : 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(copy_with_more_zeros_than_bytes, "out-of-bounds", "of which -12 are to be read") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  fills_more_than_it_copies<<<1, 64>>>(in.data(), out.data());
}

// Right: two stages of a pipeline.
__global__ void two_stages(const float* in, float* out, int tiles) {
  __shared__ float tile[2][64];
  auto pipe = cuda::make_pipeline();
  const auto fetch = [&](int t) {
    pipe.producer_acquire();
    if (t < tiles) {
      cuda::memcpy_async(&tile[t % 2][threadIdx.x], &in[64 * t + threadIdx.x], sizeof(float), pipe);
    }
    pipe.producer_commit();
  };
  fetch(0);
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    fetch(t + 1);
    pipe.consumer_wait();
    __syncthreads();
    sum += tile[t % 2][63 - threadIdx.x];
    __syncthreads();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
CORRECT(two_stages_of_a_pipeline) {
  const Buffer<float> in("in", 256, Contents::input), out("out", 64, Contents::nothing);
  two_stages<<<1, 64>>>(in.data(), out.data(), 4);
}

}  // namespace
}  // namespace tilewise::defects
