// Atomics and intrinsic functions.

#include <climits>

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::ElementsAre;

class Intrinsics : public SimtTest {};

__global__ void every_atomic(int* ints, float* sum, double* double_sum, unsigned* wrapped,
                             unsigned long long* wide) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&ints[0], 1);
  atomicSub(&ints[1], 2);
  atomicMin(&ints[2], i);
  atomicMax(&ints[3], i);
  atomicOr(&ints[4], 1 << i % 31);
  atomicAnd(&ints[5], ~(1 << i % 8));
  atomicXor(&ints[6], i);
  atomicExch(&ints[7], 42);
  atomicAdd(sum, 0.5f);
  atomicAdd(double_sum, 0.25);
  atomicInc(wrapped, 9);
  atomicAdd(wide, 1ull << 33);
}

TEST_F(Intrinsics, AtomicsLoseNothingBetweenBlocks) {
  constexpr int threads = 64 * 128;
  DeviceVector<int> ints(std::vector<int>{0, 0, INT_MAX, INT_MIN, 0, -1, 0, 0});
  DeviceVector<float> sum(1);
  DeviceVector<double> double_sum(1);
  DeviceVector<unsigned> wrapped(1);
  DeviceVector<unsigned long long> wide(1);
  every_atomic<<<64, 128>>>(ints.data(), sum.data(), double_sum.data(), wrapped.data(),
                            wide.data());
  int all_xored = 0;
  for (int i = 0; i < threads; ++i) all_xored ^= i;
  EXPECT_THAT(ints.values(),
              ElementsAre(threads, -2 * threads, 0, threads - 1, INT_MAX, ~255, all_xored, 42));
  EXPECT_EQ(sum.values()[0], threads * 0.5f);
  EXPECT_EQ(double_sum.values()[0], threads * 0.25);
  EXPECT_EQ(wrapped.values()[0], threads % 10u);
  EXPECT_EQ(wide.values()[0], (1ull << 33) * threads);
}

__global__ void take_turns(int* lock, int* counter) {
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      __syncwarp(1u << threadIdx.x % 32);  // the holder lets others run while it holds the lock
      *counter = *counter + 1;
      atomicExch(lock, 0);
      done = true;
    }
  }
}

TEST_F(Intrinsics, SpinLocksLetTheHolderRun) {
  DeviceVector<int> lock(1), counter(1);
  take_turns<<<1, 64>>>(lock.data(), counter.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(counter.values()[0], 64);
}

__global__ void bits(int* out) {
  out[0] = __popc(0xf0f0u);
  out[1] = __clz(1);
  out[2] = __clz(0);
  out[3] = __ffs(8);
  out[4] = static_cast<int>(__brev(1u) >> 31);
  out[5] = __float_as_int(1.0f);
  out[6] = __mul24(-3, 7);
  out[7] = __mulhi(1 << 30, 8);
  out[8] = min(3, 2) + max(5u, 4u);
  out[9] = __popcll(~0ull);
}

__global__ void numbers(const float* in, float* out) {
  out[0] = __fmaf_rn(1 + 0x1p-12f, 1 + 0x1p-12f, -1);  // exact before the one rounding
  out[1] = __int_as_float(0x40000000);
  out[2] = __ldg(&in[1]);
  out[3] = __saturatef(-2.0f) + __saturatef(0.25f) + __saturatef(7.0f);
  out[4] = rsqrtf(4.0f);
  out[5] = __fadd_rn(1.0f, 2.0f) * __fmul_rn(2.0f, 3.0f);
  const float x = in[0] + 0x1p-12f;  // whose square has one bit too many
  out[6] = __fadd_rn(__fmul_rn(x, x), -1.0f);
  out[7] = __fsub_rn(__fadd_rn(in[0], 0x1p-30f), in[0]);
}

TEST_F(Intrinsics, ComputeWhatCudaDocuments) {
  DeviceVector<int> integers(10);
  bits<<<1, 1>>>(integers.data());
  EXPECT_THAT(integers.values(), ElementsAre(8, 31, 32, 4, 1, 0x3f800000, -21, 2, 7, 64));
  DeviceVector<float> in(std::vector<float>{1, 9}), out(8);
  numbers<<<1, 1>>>(in.data(), out.data());
  EXPECT_THAT(out.values(), ElementsAre(0x1p-11f + 0x1p-24f, 2.0f, 9.0f, 1.25f, 0.5f, 18.0f,
                                        0x1p-11f, 0.0f));
}

__global__ void round_third(double* out) {
  out[0] = __fdiv_rd(1, 3) * 0x1p26;
  out[1] = __fdiv_ru(1, 3) * 0x1p26;
  out[2] = __fdiv_rz(-1, 3) * 0x1p26;
  out[3] = __fadd_ru(1, 0x1p-30f) == 1 + 0x1p-23f;
  out[4] = __fsub_rz(1, 0x1p-30f) == 1 - 0x1p-24f;
  out[5] = __fmul_rd(1 + 0x1p-12f, 1 + 0x1p-12f) == 1 + 0x1p-11f;
  out[6] = __fmaf_ru(1, 1, 0x1p-30f) == 1 + 0x1p-23f;
  out[7] = __fsqrt_rd(2) < __fsqrt_ru(2);
  out[8] = __drcp_rn(4) + (__drcp_rd(3) < __drcp_ru(3));
  out[9] = __dadd_ru(1, 0x1p-60) - 1;
  out[10] = __hiloint2double(__double2hiint(-1.75), __double2loint(1.75));
  out[11] = __double2loint(__longlong_as_double(0x3ff0000089abcdefll)) == int(0x89abcdef);
}

TEST_F(Intrinsics, RoundAsTheyAreCalled) {
  DeviceVector<double> out(12);
  round_third<<<1, 1>>>(out.data());
  EXPECT_THAT(out.values(), ElementsAre(22369620.0, 22369622.0, -22369620.0, 1, 1, 1, 1, 1, 1.25,
                                        0x1p-52, -1.75, 1));
}

TEST(VectorTypes, HaveCudasSizesAndAlignments) {
  static_assert(sizeof(float2) == 8 && alignof(float2) == 8);
  static_assert(sizeof(float3) == 12 && alignof(float3) == 4);
  static_assert(sizeof(float4) == 16 && alignof(float4) == 16);
  static_assert(sizeof(double2) == 16 && alignof(double2) == 16);
  static_assert(sizeof(uchar4) == 4 && alignof(uchar4) == 4);
  static_assert(sizeof(double4_16a) == 32 && alignof(double4_16a) == 16);
  static_assert(sizeof(ulonglong4_32a) == 32 && alignof(ulonglong4_32a) == 32);
  EXPECT_EQ(make_long4_32a(1, 2, 3, 4).w, 4);
  const float4 vector = make_float4(1, 2, 3, 4);
  EXPECT_EQ(vector.w, 4);
  const dim3 given(3), copied = uint3{1, 2, 3};
  EXPECT_EQ(given.x * given.y * given.z, 3u);
  EXPECT_EQ(copied.y, 2u);
}

}  // namespace
}  // namespace tilewise::simt
