// Races on shared memory, beyond the faults of defects/.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum Between { nothing, warp_barrier, block_barrier };

__global__ void turns_around(float* out, Between between) {
  __shared__ float tile[64];
  tile[threadIdx.x] = float(threadIdx.x);
  if (between == warp_barrier) __syncwarp();
  if (between == block_barrier) __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

TEST_F(CheckedBuild, TellsOfSharedReadsThatNoBarrierOrders) {
  const DeviceVector<float> out(64);
  watch({.checks = true});
  const struct {
    int threads;
    Between between;
    const char* kind;
  } cases[] = {{64, nothing, "race"},      {64, warp_barrier, "race"}, {64, block_barrier, ""},
               {32, nothing, "warp-race"}, {32, warp_barrier, ""},     {32, block_barrier, ""}};
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.threads << " threads, " << c.between);
    turns_around<<<1, c.threads>>>(out.data(), c.between);
    if (*c.kind == '\0') {
      EXPECT_THAT(take_findings(), IsEmpty());
      continue;
    }
    const Finding found = the_finding();
    EXPECT_EQ(found.kind, c.kind);
    EXPECT_THAT(found.message, HasSubstr("race on shared tile["));
    EXPECT_EQ(std::abs(found.other_line - found.line), 3) << "the store and the load";
  }
}

__global__ void all_store(int* out, int step) {
  __shared__ int flag;
  flag = 1 + int(threadIdx.x) * step;
  __syncthreads();
  out[threadIdx.x] = flag;
}

TEST_F(CheckedBuild, LetsThreadsStoreTheSameValue) {
  const DeviceVector<int> out(64);
  watch({.checks = true});
  all_store<<<1, 64>>>(out.data(), 0);
  EXPECT_THAT(take_findings(), IsEmpty());
  all_store<<<1, 64>>>(out.data(), 1);
  EXPECT_THAT(take_findings(), ::testing::Not(IsEmpty()));
}

__global__ void shares_words(int* out, bool overlap) {
  __shared__ unsigned char bytes[64];
  bytes[threadIdx.x] = 1;
  if (overlap && threadIdx.x == 1) bytes[40] = 2;
  __syncthreads();
  out[threadIdx.x] = bytes[63 - threadIdx.x];
}

TEST_F(CheckedBuild, TellsBytesOfASharedWordApart) {
  const DeviceVector<int> out(64);
  watch({.checks = true});
  shares_words<<<1, 64>>>(out.data(), false);
  EXPECT_THAT(take_findings(), IsEmpty());
  shares_words<<<1, 64>>>(out.data(), true);
  EXPECT_THAT(the_finding().message, HasSubstr("bytes[40]"));
}

__global__ void adds_warps_up(int* out, Between between) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  if (between == warp_barrier) __syncwarp();
  if (between == block_barrier) __syncthreads();
  if (threadIdx.x % 32 == 0) atomicAdd(&sum, 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}

// Thread 0's own atomic comes between its store and the other warp's atomic.
TEST_F(CheckedBuild, TellsOfAStoreThatAtomicsOfOtherWarpsMayMeet) {
  const DeviceVector<int> out(64);
  watch({.checks = true});
  for (const Between between : {nothing, warp_barrier, block_barrier}) {
    SCOPED_TRACE(between);
    adds_warps_up<<<1, 32>>>(out.data(), between);
    EXPECT_THAT(take_findings(), IsEmpty()) << "one warp";
    adds_warps_up<<<1, 64>>>(out.data(), between);
    if (between == block_barrier) {
      EXPECT_THAT(take_findings(), IsEmpty());
      continue;
    }
    const Finding found = the_finding();
    EXPECT_EQ(found.kind, "race");
    EXPECT_THAT(found.message, HasSubstr("race on shared sum"));
    EXPECT_EQ(std::abs(found.other_line - found.line), 3) << "the store and the atomic";
  }
}

}  // namespace
}  // namespace tilewise::simt
