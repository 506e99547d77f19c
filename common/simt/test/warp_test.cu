// Operations of a warp: shuffles, votes, and masks that are wrong.

#include "common/simt/test/testing.hpp"

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;

class Warps : public SimtTest {};

enum class Form { idx, up, down, exclusive_or };

template <class T>
__global__ void shuffle(Form form, int operand, int width, T* out) {
  const T mine = static_cast<T>(threadIdx.x * 3 + 1);
  T got{};
  if (form == Form::idx) got = __shfl_sync(0xffffffffu, mine, operand, width);
  if (form == Form::up) got = __shfl_up_sync(0xffffffffu, mine, operand, width);
  if (form == Form::down) got = __shfl_down_sync(0xffffffffu, mine, operand, width);
  if (form == Form::exclusive_or) got = __shfl_xor_sync(0xffffffffu, mine, operand, width);
  out[threadIdx.x] = got;
}

/// The lane each form reads, by the table in the PTX manual for shfl.sync.
int source_lane(Form form, int lane, int operand, int width) {
  const int start = lane / width * width, end = start + width;
  switch (form) {
    case Form::idx:
      return start + operand % width;
    case Form::up:
      return lane - operand >= start ? lane - operand : lane;
    case Form::down:
      return lane + operand < end ? lane + operand : lane;
    case Form::exclusive_or:
      return (lane ^ operand) < end ? lane ^ operand : lane;
  }
  return -1;
}

template <class T>
void expect_shuffles_as_documented() {
  for (const Form form : {Form::idx, Form::up, Form::down, Form::exclusive_or}) {
    for (const int width : {1, 2, 4, 8, 16, 32}) {
      for (const int operand : {0, 1, 3, 7, 16, 31}) {
        DeviceVector<T> out(64);
        shuffle<T><<<1, 64>>>(form, operand, width, out.data());
        const std::vector<T> got = out.values();
        for (int i = 0; i < 64; ++i) {
          const int source = i / 32 * 32 + source_lane(form, i % 32, operand, width);
          ASSERT_EQ(got[static_cast<std::size_t>(i)], static_cast<T>(source * 3 + 1))
              << "form " << static_cast<int>(form) << " width " << width << " operand " << operand
              << " thread " << i;
        }
      }
    }
  }
}

TEST_F(Warps, ShuffleWordsAndDoubleWords) {
  expect_shuffles_as_documented<int>();
  expect_shuffles_as_documented<float>();
  expect_shuffles_as_documented<double>();
  expect_shuffles_as_documented<unsigned long long>();
}

__global__ void back_to_back(int* out) {
  int value = static_cast<int>(threadIdx.x);
  for (int delta = 16; delta > 0; delta /= 2) value += __shfl_down_sync(0xffffffffu, value, delta);
  out[threadIdx.x] = value;
}

TEST_F(Warps, KeepOneShuffleApartFromTheNext) {
  DeviceVector<int> out(96);
  back_to_back<<<1, 96>>>(out.data());
  const std::vector<int> got = out.values();
  for (int warp = 0; warp < 3; ++warp) {
    const int first = warp * 32;
    EXPECT_EQ(got[static_cast<std::size_t>(first)], 32 * first + 496);
  }
}

__global__ void vote(unsigned pattern, unsigned* ballots, int* anys, int* alls) {
  const int yes = pattern >> threadIdx.x & 1u;
  ballots[threadIdx.x] = __ballot_sync(0xffffffffu, yes);
  anys[threadIdx.x] = __any_sync(0xffffffffu, yes);
  alls[threadIdx.x] = __all_sync(0xffffffffu, yes);
}

TEST_F(Warps, Vote) {
  for (const unsigned pattern : {0u, 1u, 0x80000000u, 0x12345678u, 0xffffffffu}) {
    DeviceVector<unsigned> ballots(32);
    DeviceVector<int> anys(32), alls(32);
    vote<<<1, 32>>>(pattern, ballots.data(), anys.data(), alls.data());
    EXPECT_THAT(ballots.values(), ::testing::Each(pattern));
    EXPECT_THAT(anys.values(), ::testing::Each(pattern != 0));
    EXPECT_THAT(alls.values(), ::testing::Each(pattern == 0xffffffffu));
  }
}

__global__ void halves_apart(int* out) {
  const unsigned half = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;
  for (int round = 0; round < static_cast<int>(threadIdx.x / 16) + 1; ++round) {
    out[threadIdx.x] = __shfl_sync(half, static_cast<int>(threadIdx.x), threadIdx.x / 16 * 16);
  }
}

TEST_F(Warps, LetDisjointMasksGoTheirOwnWays) {
  DeviceVector<int> out(32);
  halves_apart<<<1, 32>>>(out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  const std::vector<int> got = out.values();
  EXPECT_EQ(got[5], 0);
  EXPECT_EQ(got[20], 16);
}

__global__ void sums_across_warps(int* out, int threads) {
  int sum = static_cast<int>(threadIdx.x);
  for (int distance = threads / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  out[threadIdx.x] = sum;
}

// It is no fault: the maximum of a warp comes right in the same way.
TEST_F(Warps, ExplainShufflesOverMoreLanesThanTheyHave) {
  DeviceVector<int> out(64);
  sums_across_warps<<<1, 32>>>(out.data(), 32);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(take_findings().empty());
  sums_across_warps<<<1, 64>>>(out.data(), 64);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out.values()[0], 2 * (31 * 32 / 2));
  const std::vector<Finding> found = take_findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "lost-shuffle");
  EXPECT_THAT(found[0].message, HasSubstr("moves values by 32 lanes, and a warp has 32"));
}

__global__ void tail_returned(int* out) {
  if (threadIdx.x >= 20) return;
  out[threadIdx.x] = __popc(__ballot_sync(0xffffffffu, 1));
}

TEST_F(Warps, DoNotWaitForLanesThatReturned) {
  DeviceVector<int> out(32);
  tail_returned<<<1, 32>>>(out.data());
  EXPECT_EQ(out.values()[19], 20);
}

__global__ void not_in_its_own_mask() { __syncwarp(0xfffffffeu); }

__global__ void masks_that_overlap() {
  __shfl_sync(threadIdx.x < 8 ? 0xffffffffu : 0xffffff00u, 1, 0);
}

TEST_F(Warps, RefuseMasksThatCannotBeMeant) {
  not_in_its_own_mask<<<1, 32>>>();
  EXPECT_THAT(the_fatal_finding("warp").message, HasSubstr("leaves out its own lane 0"));
  cudaDeviceReset();
  masks_that_overlap<<<1, 32>>>();
  EXPECT_THAT(the_fatal_finding("warp").message,
              HasSubstr("all lanes in a mask must make the same call with the same mask"));
}

}  // namespace
}  // namespace tilewise::simt
