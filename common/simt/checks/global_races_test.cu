// Races on device memory, beyond the faults of defects/.

#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Thread t of the grid writes element t, then reads the one that is `distance` further.
__global__ void shifts(int* values, int* out, int distance, bool fence) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i;
  if (fence) __threadfence();
  __syncthreads();
  out[i] = values[i + distance];
}

TEST_F(CheckedBuild, TellsOfBlocksThatNothingOrders) {
  const DeviceVector<int> values(256), out(256);
  watch({.checks = true});
  describe_buffer(values.data(), {.name = "values", .bytes = 1024, .element_bytes = 4});
  const struct {
    int blocks, distance;
    bool fence, races;
  } cases[] = {{1, 1, false, false},
               {2, 0, false, false},
               {2, 1, false, true},
               {2, 1, true, false}};  // as far as can be told
  for (const auto& c : cases) {
    SCOPED_TRACE(testing::Message() << c.blocks << " blocks, " << c.distance << ", " << c.fence);
    shifts<<<c.blocks, 64>>>(values.data(), out.data(), c.distance, c.fence);
    if (!c.races) {
      EXPECT_THAT(take_findings(), IsEmpty());
      continue;
    }
    const Finding found = the_finding();
    EXPECT_EQ(found.kind, "race");
    // Block 0 may well have read before block 1 has begun: that is told no other way.
    EXPECT_THAT(found.message,
                HasSubstr("race on values[64]: thread (0, 0, 0) of block (1, 0, 0) writes it"));
    EXPECT_THAT(found.message, HasSubstr("and nothing orders two blocks of a grid"));
  }
}

__global__ void sums(float* sum, bool atomically) {
  if (atomically) {
    atomicAdd(sum, 1.0f);
  } else {
    *sum += 1;
  }
}

TEST_F(CheckedBuild, LetsAtomicsMeet) {
  const DeviceVector<float> sum(1);
  watch({.checks = true});
  sums<<<3, 32>>>(sum.data(), true);
  EXPECT_THAT(take_findings(), IsEmpty());
  sums<<<3, 32>>>(sum.data(), false);
  EXPECT_THAT(take_findings(), ::testing::Not(IsEmpty()));
}

__global__ void sums_after_clearing(float* sum, bool clears) {
  if (clears && blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
  __syncthreads();
  atomicAdd(sum, 1.0f);
}

// The atomics of block 0 come between its store and those of the other blocks.
TEST_F(CheckedBuild, TellsOfAStoreThatAtomicsOfOtherBlocksMayMeet) {
  const DeviceVector<float> sum(1);
  watch({.checks = true});
  sums_after_clearing<<<1, 64>>>(sum.data(), true);
  EXPECT_THAT(take_findings(), IsEmpty());
  sums_after_clearing<<<3, 64>>>(sum.data(), false);
  EXPECT_THAT(take_findings(), IsEmpty());
  sums_after_clearing<<<3, 64>>>(sum.data(), true);
  const Finding found = the_finding();
  EXPECT_EQ(found.kind, "race");
  EXPECT_THAT(found.message, HasSubstr("thread (0, 0, 0) of block (0, 0, 0) writes it on line"));
  EXPECT_THAT(found.message, HasSubstr("and nothing orders two blocks of a grid"));
}

// A launch begins behind all that was done before it.
TEST_F(CheckedBuild, OrdersLaunches) {
  const DeviceVector<int> values(256), out(256);
  watch({.checks = true});
  shifts<<<1, 64>>>(values.data(), out.data(), 0, false);
  shifts<<<1, 64>>>(out.data(), values.data(), 0, false);
  EXPECT_THAT(take_findings(), IsEmpty());
}

}  // namespace
}  // namespace tilewise::simt
