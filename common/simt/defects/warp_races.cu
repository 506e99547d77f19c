// Lanes of one warp that count on running in lock-step: since compute capability 7.0 they need not.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

// As in many an old reduction: volatile, and no __syncwarp().
__global__ void sums_a_warp(const float* in, float* out) {
  __shared__ volatile float partial[64];
  const unsigned lane = threadIdx.x;
  partial[lane] = in[lane];
  partial[lane + 32] = in[lane + 32];
  __syncwarp();
  for (unsigned width = 32; width > 0; width /= 2) {
    if (lane < width) partial[lane] = partial[lane] + partial[lane + width];  // fault
  }
  if (lane == 0) out[0] = partial[0];
}
DEFECT(warp_synchronous_sum, "warp-race", "__syncwarp()") {
  const Buffer<float> in("in", 64, Contents::input), out("out", 1, Contents::nothing);
  sums_a_warp<<<1, 32>>>(in.data(), out.data());
}

// The last steps of a block's sum, in a function template, on doubles, in a block of 100.
template <class T>
__device__ void last_steps(volatile T* partial, unsigned lane) {
  for (unsigned width = 16; width > 0; width /= 2) {
    if (lane < width) partial[lane] = partial[lane] + partial[lane + width];  // fault
  }
}
template <class T>
__global__ void sums_a_block(const T* in, T* out) {
  __shared__ T partial[128];
  const unsigned i = threadIdx.x;
  partial[i] = in[i];
  if (i < 28) partial[100 + i] = 0;
  __syncthreads();
  for (unsigned width = 64; width >= 32; width /= 2) {
    if (i < width) partial[i] += partial[i + width];
    __syncthreads();
  }
  if (i < 32) last_steps(partial, i);
  if (i == 0) out[0] = partial[0];
}
DEFECT(last_warp_of_a_sum, "warp-race", "") {
  const Buffer<double> in("in", 100, Contents::input), out("out", 1, Contents::nothing);
  sums_a_block<double><<<1, 100>>>(in.data(), out.data());
}

// Lane 0 publishes, the others read.
__global__ void lane_0_publishes(const float* in, float* out) {
  __shared__ float scale[4];
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) scale[warp] = in[warp];  // fault
  out[threadIdx.x] = in[threadIdx.x] * scale[warp];   // fault: other side
}
DEFECT(lane_0_publishes, "warp-race", "race on shared scale[") {
  const Buffer<float> in("in", 128, Contents::input), out("out", 128, Contents::nothing);
  lane_0_publishes<<<1, 128>>>(in.data(), out.data());
}

// Each half waits for itself and reads the other.
__global__ void waits_for_the_wrong_lanes(const float* in, float* out) {
  __shared__ float values[32];
  const unsigned lane = threadIdx.x;
  values[lane] = in[lane];  // fault
  __syncwarp(lane < 16 ? 0x0000ffffu : 0xffff0000u);
  out[lane] = values[31 - lane];  // fault: other side
}
DEFECT(mask_of_the_wrong_half, "warp-race", "") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  waits_for_the_wrong_lanes<<<1, 32>>>(in.data(), out.data());
}

// A shift in place: the read comes first, but only lock-step would keep it first.
__global__ void shifts_in_place(const float* in, float* out) {
  extern __shared__ float values[];
  const int lane = threadIdx.x;
  values[lane] = in[lane];
  __syncwarp();
  const float left = values[(lane + 31) % 32];  // fault
  values[lane] = left;                          // fault: other side
  __syncwarp();
  out[lane] = values[lane];
}
DEFECT(shift_in_place, "warp-race", "") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  shifts_in_place<<<1, 32, 32 * sizeof(float)>>>(in.data(), out.data());
}

// Two lanes, two values, one element.
__global__ void lanes_write_one(const unsigned char* in, unsigned char* out) {
  __shared__ unsigned char values[16];
  values[threadIdx.x / 2] = in[threadIdx.x];  // fault
  __syncwarp();
  if (threadIdx.x < 16) out[threadIdx.x] = values[threadIdx.x];
}
DEFECT(two_lanes_write_one_byte, "warp-race", "") {
  const Buffer<unsigned char> in("in", 32, Contents::input), out("out", 16, Contents::nothing);
  lanes_write_one<<<1, 32>>>(in.data(), out.data());
}

// The same in global memory.
__global__ void through_global_memory(const float* in, float* scratch, float* out) {
  const int lane = threadIdx.x;
  scratch[lane] = in[lane];        // fault
  out[lane] = scratch[31 - lane];  // fault: other side
}
DEFECT(exchange_through_global_memory, "warp-race", "") {
  const Buffer<float> in("in", 32, Contents::input), scratch("scratch", 32, Contents::zeros);
  const Buffer<float> out("out", 32, Contents::nothing);
  through_global_memory<<<1, 32>>>(in.data(), scratch.data(), out.data());
}

// The rows of a block in one warp: each row of lanes stores the same, but not all rows do.
__global__ void keeps_the_last_row(int* out) {
  __shared__ int row;
  row = threadIdx.y;  // fault
  __syncthreads();
  out[threadIdx.y * blockDim.x + threadIdx.x] = row;
}
DEFECT(rows_of_a_warp_write_one_element, "warp-race", "race on shared row") {
  const Buffer<int> out("out", 32, Contents::nothing);
  keeps_the_last_row<<<1, dim3(8, 4)>>>(out.data());
}

}  // namespace
}  // namespace tilewise::defects
