// Barriers of blocks and of warps that not all come to who should.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// 48 of 64 threads come to the barrier in the branch, the others to the one behind it.
__global__ void barrier_in_a_branch(const float* in, float* out, int n) {
  __shared__ float values[64];
  values[threadIdx.x] = 0.0f;
  if (static_cast<int>(threadIdx.x) < n) {
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();  // fault
  }
  __syncthreads();  // fault: other side
  out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(barrier_in_a_branch, "barrier", "move it out of the branch") {
  const Buffer<float> in("in", 48, Contents::input), out("out", 64, Contents::nothing);
  barrier_in_a_branch<<<1, 64>>>(in.data(), out.data(), 48);
}

__global__ void barrier_in_either_branch(float* out) {
  if (threadIdx.x % 2 == 0) {
    __syncthreads();  // fault
    out[threadIdx.x] = 0.0f;
  } else {
    __syncthreads();  // fault: other side
    out[threadIdx.x] = 1.0f;
  }
}
DEFECT(barrier_in_either_branch, "barrier", "") {
  const Buffer<float> out("out", 100, Contents::nothing);
  barrier_in_either_branch<<<2, 100>>>(out.data());
}

// Each warp goes round once more often than the one before.
__global__ void unequal_rounds(float* out) {
  float sum = 0;
  for (unsigned round = 0; round <= threadIdx.x / 32; ++round) {
    sum += static_cast<float>(round);
    __syncthreads();  // fault
  }
  __syncthreads();  // fault: other side
  out[threadIdx.x] = sum;
}
DEFECT(unequal_rounds, "barrier", "") {
  const Buffer<float> out("out", 96, Contents::nothing);
  unequal_rounds<<<1, 96>>>(out.data());
}

// `continue` skips the barrier where a tile has nothing to do.
__global__ void skips_by_continue(const float* in, float* out, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    const int i = first + static_cast<int>(threadIdx.x);
    if (i >= n) continue;
    tile[threadIdx.x] = in[i];
    __syncthreads();  // fault
    sum += tile[threadIdx.x];
  }
  __syncthreads();  // fault: other side
  out[threadIdx.x] = sum;
}
DEFECT(barrier_skipped_by_continue, "barrier", "") {
  const Buffer<float> in("in", 100, Contents::input), out("out", 64, Contents::nothing);
  skips_by_continue<<<1, 64>>>(in.data(), out.data(), 100);
}

// In a function template that only some rows of the block call.
template <class T>
__device__ T barrier_inside(T value) {
  __syncthreads();  // fault
  return 2 * value;
}
__global__ void calls_it_for_some_rows(const double* in, double* out) {
  const int i = threadIdx.y * 16 + threadIdx.x;
  double value = in[i];
  if (threadIdx.y < 3) value = barrier_inside(value);
  const int any = __syncthreads_or(value > 0);  // fault: other side
  out[i] = any ? value : 0.0;
}
DEFECT(barrier_in_a_function_of_some_rows, "barrier", "") {
  const Buffer<double> in("in", 4, 16, Contents::input), out("out", 4, 16, Contents::nothing);
  calls_it_for_some_rows<<<1, dim3(16, 4)>>>(in.data(), out.data());
}

// Lanes 8 to 31 wait for the whole warp, lanes 0 to 7 for the whole block.
__global__ void warp_against_block(float* out) {
  if (threadIdx.x < 8) {
    __syncthreads();  // fault
  } else {
    __syncwarp();  // fault: other side
  }
  out[threadIdx.x] = 1.0f;
}
DEFECT(warp_waits_for_the_block, "deadlock", "") {
  const Buffer<float> out("out", 32, Contents::nothing);
  warp_against_block<<<1, 32>>>(out.data());
}

// The mask names all lanes, half of which wait elsewhere.
__global__ void shuffles_half_a_warp(const float* in, float* out) {
  float sum = in[threadIdx.x];
  if (threadIdx.x < 16) {
    sum += __shfl_down_sync(0xffffffffu, sum, 8);  // fault
  }
  __syncthreads();  // fault: other side
  out[threadIdx.x] = sum;
}
DEFECT(shuffle_with_lanes_that_never_come, "deadlock", "") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  shuffles_half_a_warp<<<1, 32>>>(in.data(), out.data());
}

__global__ void leaves_itself_out(float* out) {
  __syncwarp(0xfffffffeu);  // fault
  out[threadIdx.x] = 1.0f;
}
DEFECT(mask_without_the_caller, "warp", "leaves out its own lane 0") {
  const Buffer<float> out("out", 32, Contents::nothing);
  leaves_itself_out<<<1, 32>>>(out.data());
}

// A mask with lanes 0 to 15 for a shuffle that 16 to 31 make as well.
template <class T>
__device__ T sum_of_16(T value) {
  for (int delta = 8; delta > 0; delta /= 2) {
    value += __shfl_down_sync(0x0000ffffu, value, delta);  // fault
  }
  return value;
}
__global__ void sums_both_halves(const double* in, double* out) {
  const double sum = sum_of_16(in[threadIdx.x]);
  if (threadIdx.x % 16 == 0) out[threadIdx.x / 16] = sum;
}
DEFECT(mask_of_the_other_half, "warp", "") {
  const Buffer<double> in("in", 64, Contents::input), out("out", 4, Contents::nothing);
  sums_both_halves<<<1, 64>>>(in.data(), out.data());
}

// The lower half names lane 16, the upper half lane 15.
__global__ void overlapping_masks(int* out) {
  const unsigned mask = threadIdx.x < 16 ? 0x0001ffffu : 0xffff8000u;
  out[threadIdx.x] = __popc(__ballot_sync(mask, 1));  // fault
}
DEFECT(masks_that_overlap, "warp", "with the same mask") {
  const Buffer<int> out("out", 32, Contents::nothing);
  overlapping_masks<<<1, 32>>>(out.data());
}

// The last round has work for 48 of 64 threads, and no barrier follows (as NVIDIA's own sample of a
// divergent barrier has it).
__global__ void skips_the_last_round(const float* in, float* out, int n) {
  __shared__ float sums[64];
  sums[threadIdx.x] = 0.0f;
  __syncthreads();
  for (int first = 0; first < n; first += 64) {
    const int i = first + static_cast<int>(threadIdx.x);
    if (i < n) {
      sums[threadIdx.x] += in[i];
      __syncthreads();  // fault
    }
  }
  out[threadIdx.x] = sums[threadIdx.x];
}
DEFECT(barrier_of_some_threads_then_the_end, "barrier", "came to the end of the kernel without") {
  const Buffer<float> in("in", 112, Contents::input), out("out", 64, Contents::nothing);
  skips_the_last_round<<<1, 64>>>(in.data(), out.data(), 112);
}

// Each warp goes round once more often than the one before, and that is all.
__global__ void unequal_rounds_to_the_end(float* out) {
  float sum = 0;
  for (unsigned round = 0; round <= threadIdx.x / 32; ++round) {
    sum += static_cast<float>(round);
    out[threadIdx.x] = sum;
    __syncthreads();  // fault
  }
}
DEFECT(unequal_rounds_to_the_end, "barrier", "thread (0, 0, 0) of block (0, 0, 0) came to the end") {
  const Buffer<float> out("out", 96, Contents::nothing);
  unequal_rounds_to_the_end<<<1, 96>>>(out.data());
}

// The only barrier there is, for some.
template <class T>
__global__ void waits_in_a_branch(T* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x < 5) {
    __syncthreads();  // fault
  }
}
DEFECT(the_only_barrier_for_some, "barrier", "move it out of the branch") {
  const Buffer<double> out("out", 64, Contents::nothing);
  waits_in_a_branch<double><<<1, 64>>>(out.data());
}

// Whole warps at different barriers, which hardware takes for one: the kernel goes on, and what is
// wrong behind is found, too.
__global__ void warps_at_two_barriers(const float* in, float* out) {
  __shared__ float values[64];
  if (threadIdx.x < 32) {
    values[threadIdx.x] = in[threadIdx.x];
    __syncthreads();  // fault
  } else {
    values[threadIdx.x] = 2 * in[threadIdx.x];
    __syncthreads();  // fault: other side
  }
  out[threadIdx.x] = values[63 - threadIdx.x];
  __syncthreads();
  out[threadIdx.x] += 1.0f;
}
DEFECT(warps_at_two_barriers, "barrier", "move it out of the branch") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 64, Contents::nothing);
  warps_at_two_barriers<<<1, 64>>>(in.data(), out.data());
  float last = 0;
  check(cudaMemcpy(&last, out.data() + 63, sizeof last, cudaMemcpyDeviceToHost));
}

// A block of 20 threads adds up what 32 would have.
__global__ void adds_lanes_that_are_not_there(const float* in, float* out) {
  float sum = in[threadIdx.x];
  for (int delta = 16; delta > 0; delta /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, delta);  // fault
  }
  if (threadIdx.x == 0) out[0] = sum;
}
DEFECT(shuffle_from_a_lane_that_is_not_there, "warp", "which the block does not have") {
  const Buffer<float> in("in", 20, Contents::input), out("out", 1, Contents::nothing);
  adds_lanes_that_are_not_there<<<1, 20>>>(in.data(), out.data());
}

__global__ void asks_outside_of_its_mask(const int* in, int* out) {
  int value = in[threadIdx.x];
  if (threadIdx.x < 16) {
    value = __shfl_sync(0x0000ffffu, value, 20);  // fault
  }
  out[threadIdx.x] = value;
}
DEFECT(shuffle_from_outside_the_mask, "warp", "asks for the value of lane 20, which the mask does not") {
  const Buffer<int> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  asks_outside_of_its_mask<<<1, 32>>>(in.data(), out.data());
}

// Lane 0, which has the sum, has gone.
__global__ void asks_who_has_returned(const float* in, float* out) {
  if (threadIdx.x == 0) return;
  out[threadIdx.x] = __shfl_sync(0xffffffffu, in[threadIdx.x], 0);  // fault
}
DEFECT(shuffle_from_a_lane_that_has_returned, "warp", "which has returned") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  asks_who_has_returned<<<1, 32>>>(in.data(), out.data());
}

}  // namespace
}  // namespace tilewise::defects
