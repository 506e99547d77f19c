// Arithmetic whose result nothing specifies.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

#ifdef __x86_64__  // whose processors refuse such a division, so that it is seen

// The columns of the second call are not known yet.
__global__ void splits_an_index(int* out, int columns) {
  const int i = threadIdx.x;
  out[i] = i / columns;  // fault
}
DEFECT(divides_by_zero, "arithmetic", "divides by zero") {
  const Buffer<int> out("out", 32, Contents::nothing);
  splits_an_index<<<1, 32>>>(out.data(), 0);
  int first = 0;
  check(cudaMemcpy(&first, out.data(), sizeof first, cudaMemcpyDeviceToHost));
}

#endif

// The least number has no negative: a GPU gives that number.
__global__ void divides(const int* in, int* out, int by) {
  out[threadIdx.x] = in[threadIdx.x] / by;
}
CORRECT(divides_the_least_number) {
  const Buffer<int> in("in", 1, Contents::zeros), out("out", 1, Contents::nothing);
  int value = -2147483647 - 1;
  check(cudaMemcpy(in.data(), &value, sizeof value, cudaMemcpyHostToDevice));
  divides<<<1, 1>>>(in.data(), out.data(), -1);
  check(cudaMemcpy(&value, out.data(), sizeof value, cudaMemcpyDeviceToHost));
  if (value != -2147483647 - 1) throw std::runtime_error("not what a GPU gives");
}

// A bit for each of 64 columns, in a word of 32.
__global__ void marks_columns(unsigned* out) {
  const unsigned column = 2 * threadIdx.x;
  out[threadIdx.x] = 1u << column;  // fault
}
DEFECT(shifts_by_more_than_there_is, "arithmetic", "of type unsigned int by 32, and it has 32") {
  const Buffer<unsigned> out("out", 32, Contents::nothing);
  marks_columns<<<1, 32>>>(out.data());
}

// The distance to a neighbour before the first one.
__global__ void shifts_back(int* out, int step) {
  out[threadIdx.x] = 4096 >> (static_cast<int>(threadIdx.x) - step);  // fault
}
DEFECT(shifts_by_less_than_nothing, "arithmetic", "of type int by -1,") {
  const Buffer<int> out("out", 8, Contents::nothing);
  shifts_back<<<1, 8>>>(out.data(), 1);
}

__global__ void shifts_as_far_as_it_may(unsigned long long* wide, unsigned* narrow) {
  const unsigned lane = threadIdx.x;
  wide[lane] = 1ull << (2 * lane + 1);
  narrow[lane] = (0xffffffffu >> (31 - lane)) + (1u << lane) + __funnelshift_l(lane, 1u, 32 + lane);
}
CORRECT(shifts_within_the_word) {
  const Buffer<unsigned long long> wide("wide", 32, Contents::nothing);
  const Buffer<unsigned> narrow("narrow", 32, Contents::nothing);
  shifts_as_far_as_it_may<<<1, 32>>>(wide.data(), narrow.data());
}

// An index into a histogram, of values that nobody has scaled.
__global__ void puts_into_bins(const float* in, int* bins, float scale) {
  bins[threadIdx.x] = static_cast<int>(in[0] * scale);  // fault
}
void put_into_bins(float value, float scale) {
  const Buffer<float> in("in", 1, Contents::zeros);
  const Buffer<int> bins("bins", 1, Contents::nothing);
  check(cudaMemcpy(in.data(), &value, sizeof value, cudaMemcpyHostToDevice));
  puts_into_bins<<<1, 1>>>(in.data(), bins.data(), scale);
}
DEFECT(converts_what_has_no_room, "arithmetic", "converts 3e+09 to int") { put_into_bins(3, 1e9f); }
DEFECT(converts_no_number, "arithmetic", "to int, which has no such number") {
  put_into_bins(__builtin_inff(), 0);
}
CORRECT(converts_the_least_number) { put_into_bins(-1, 2147483648.0f); }
CORRECT(converts_what_has_room) { put_into_bins(1, 2147483520.0f); }

__global__ void counts_down(unsigned* out, double from) {
  out[threadIdx.x] = static_cast<unsigned>(from - threadIdx.x);  // fault
}
DEFECT(converts_less_than_nothing, "arithmetic", "converts -1 to unsigned int") {
  const Buffer<unsigned> out("out", 4, Contents::nothing);
  counts_down<<<1, 4>>>(out.data(), 0);
}
CORRECT(converts_a_part_of_one) {
  const Buffer<unsigned> out("out", 1, Contents::nothing);
  counts_down<<<1, 1>>>(out.data(), -0.5);
}

// CUDA's own functions say what they give.
__global__ void rounds_by_functions(const float* in, int* out) {
  out[0] = __float2int_rz(in[0]) ^ __float2int_rn(in[0]);
  out[1] = static_cast<int>(__float2uint_rd(in[0]) ^ __double2uint_rz(in[0]));
  out[2] = static_cast<int>(__float2ll_rz(in[0]) ^ __double2ll_rn(in[0]));
}
CORRECT(rounds_what_has_no_room) {
  const Buffer<float> in("in", 1, Contents::zeros);
  const Buffer<int> out("out", 3, Contents::nothing);
  for (const float value : {3e10f, -3e20f, __builtin_nanf("")}) {
    check(cudaMemcpy(in.data(), &value, sizeof value, cudaMemcpyHostToDevice));
    rounds_by_functions<<<1, 1>>>(in.data(), out.data());
  }
}

}  // namespace
}  // namespace tilewise::defects
