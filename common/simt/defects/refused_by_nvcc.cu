// What a C++ compiler takes in a kernel and nvcc does not: variables of the host, and its atomics.

#include "common/simt/defects/buffer.hpp"
#include "common/simt/defects/defect.hpp"

namespace tilewise::defects {
namespace {

int offsets[4] = {1, 2, 3, 4};
__global__ void reads_a_host_array(int* out, int i) {
  out[threadIdx.x] = offsets[i];  // fault
}
DEFECT(host_array_in_a_kernel, "host-pointer", "reads offsets, a host variable") {
  offsets[0] = 5;
  const Buffer<int> out("out", 1, Contents::nothing);
  reads_a_host_array<<<1, 1>>>(out.data(), 1);
}

thread_local float kept[32];
__global__ void keeps_values_for_later(const float* in, float* out, int i) {
  kept[threadIdx.x] = in[threadIdx.x];  // fault
  out[threadIdx.x] = kept[i];
}
DEFECT(thread_local_scratch, "host-pointer", "writes kept, a host variable") {
  const Buffer<float> in("in", 32, Contents::input), out("out", 32, Contents::nothing);
  keeps_values_for_later<<<1, 32>>>(in.data(), out.data(), 3);
}

// Of the name that a shared variable has elsewhere.
namespace elsewhere {
__shared__ float of_two[32];
}
thread_local float of_two[32];
__global__ void keeps_an_address_for_later(float* out) {
  of_two[threadIdx.x] = out[threadIdx.x];  // fault
  elsewhere::of_two[threadIdx.x] = 0;
  out[threadIdx.x] = of_two[31 - threadIdx.x] + elsewhere::of_two[threadIdx.x];
}
DEFECT(thread_local_of_a_shared_name, "host-pointer", "writes of_two, a host variable") {
  const Buffer<float> out("out", 32, Contents::zeros);
  keeps_an_address_for_later<<<1, 32>>>(out.data());
}

// Arguments are every thread's: none may change them for the others.
struct Parts {
  float of_thread[32];
};
using Reference = const Parts&;  // which the rewriter does not see: a reference by its & is refused
__global__ void adds_up_in_its_arguments(Reference parts, float* out) {
  const_cast<Parts&>(parts).of_thread[threadIdx.x] += 1;  // fault
  out[threadIdx.x] = parts.of_thread[31 - threadIdx.x];
}
DEFECT(scratch_in_the_arguments, "host-pointer", "an argument of the kernel") {
  const Buffer<float> out("out", 32, Contents::nothing);
  adds_up_in_its_arguments<<<1, 32>>>(Parts{}, out.data());
}

// Compilers' own atomics are accesses as others are.
__device__ unsigned exchanged[32];
__global__ void stores_by_builtins(unsigned* out) {
  __atomic_store_n(&exchanged[threadIdx.x], threadIdx.x, __ATOMIC_RELAXED);  // fault
  out[threadIdx.x] = exchanged[31 - threadIdx.x];                            // fault: other side
}
DEFECT(store_by_a_builtin, "warp-race", "race on exchanged[") {
  const Buffer<unsigned> out("out", 32, Contents::nothing);
  stores_by_builtins<<<1, 32>>>(out.data());
}

__device__ unsigned char flags[32];
__global__ void sets_by_builtins(unsigned char* out) {
  __atomic_test_and_set(&flags[threadIdx.x], __ATOMIC_RELAXED);  // fault
  out[threadIdx.x] = flags[31 - threadIdx.x];                    // fault: other side
}
DEFECT(exchange_by_a_builtin, "warp-race", "race on flags[") {
  const Buffer<unsigned char> out("out", 32, Contents::nothing);
  sets_by_builtins<<<1, 32>>>(out.data());
}

__device__ unsigned long long sums[32];
__global__ void adds_by_builtins(unsigned long long* out) {
  __sync_fetch_and_add(&sums[threadIdx.x], 3);  // fault
  out[threadIdx.x] = sums[31 - threadIdx.x];    // fault: other side
}
DEFECT(addition_by_a_builtin, "warp-race", "race on sums[") {
  const Buffer<unsigned long long> out("out", 32, Contents::nothing);
  adds_by_builtins<<<1, 32>>>(out.data());
}

__device__ unsigned swapped[32];
__global__ void swaps_by_builtins(unsigned* out) {
  unsigned seen = 0;
  __atomic_compare_exchange_n(&swapped[threadIdx.x], &seen, threadIdx.x, true,  // fault
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  out[threadIdx.x] = seen + swapped[31 - threadIdx.x];  // fault: other side
}
DEFECT(weak_swap_by_a_builtin, "warp-race", "race on swapped[") {
  const Buffer<unsigned> out("out", 32, Contents::nothing);
  swaps_by_builtins<<<1, 32>>>(out.data());
}

#ifndef __clang__  // which calls a library for these, and we link none
__extension__ typedef unsigned __int128 Wide;
__device__ Wide wide[32];
__global__ void stores_wide_words(unsigned* out) {
  __atomic_store_n(&wide[threadIdx.x], threadIdx.x, __ATOMIC_RELAXED);     // fault
  out[threadIdx.x] = static_cast<unsigned>(wide[31 - threadIdx.x] >> 96);  // fault: other side
}
DEFECT(wide_store_by_a_builtin, "warp-race", "race on wide[") {
  const Buffer<unsigned> out("out", 32, Contents::nothing);
  stores_wide_words<<<1, 32>>>(out.data());
}
#endif

}  // namespace
}  // namespace tilewise::defects
