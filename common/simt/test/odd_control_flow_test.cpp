// Tests the memory traffic of a warp whose lanes go different ways, whatever compiler laid out its
// code and however. The expected values follow from where the ways meet: lanes that have reached a
// place which others can still reach, without another pass of a loop, wait for them there.

#include "common/simt/test/odd_control_flow.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "common/simt/test/testing.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {
namespace {

struct Traffic {
  std::uint64_t load_requests, load_sectors, store_requests, store_sectors;
  bool operator==(const Traffic&) const = default;
};

void PrintTo(const Traffic& traffic, std::ostream* out) {
  *out << traffic.load_requests << " loads of " << traffic.load_sectors << " sectors, "
       << traffic.store_requests << " stores of " << traffic.store_sectors;
}

constexpr int rows = 16, width = 32;

/// (rows, 32): an element of row r is bit r % 4 of its lane's number.
std::vector<int> bits_of_lanes() {
  std::vector<int> values;
  for (int row = 0; row < rows; ++row) {
    for (int lane = 0; lane < width; ++lane) values.push_back(lane >> row % 4 & 1);
  }
  return values;
}

Traffic traffic_of(OddKernel kernel) {
  const DeviceVector<int> in(bits_of_lanes()), out(2 * width);
  watch({.counters = true});
  kernel(in.data(), out.data());
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  watch({});
  const std::vector<KernelProfile> profiles = take_profiles();
  EXPECT_EQ(profiles.size(), 1u);
  if (profiles.size() != 1) return {};
  const Counters& c = profiles[0].counters;
  return {c.global_load_requests, c.global_load_sectors, c.global_store_requests,
          c.global_store_sectors};
}

// A row has 4 sectors, and so have the elements of every other, every fourth and every eighth lane
// in it.
const struct {
  const char* kernel;
  const char* why;
  Traffic traffic;
} cases[] = {
    {"falls_through",
     "lanes of the first case join those of the second: 4 cases of 2 sectors each",
     {5, 12, 1, 4}},
    {"switches_among_many",
     "each of 4 passes: 8 cases of 4 lanes, one a sector, then all lanes",
     {36, 144, 1, 4}},
    {"continues_early",
     "row k, then 4 + k by lanes whose bit k is 0: of bit 3 that is half a row",
     {8, 30, 1, 4}},
    {"continues_unseen", "each of 4 passes: every other lane", {4, 16, 1, 4}},
    {"is_unlikely",
     "each of 4 passes: all lanes, those whose bit k is 1, all lanes",
     {12, 46, 1, 4}},
    {"breaks_out_of_two",
     "of 8 passes each has 4 lanes fewer: 4 + 4 + 3 + 3 + 2 + 2 + 1 + 1 and 4",
     {9, 24, 1, 4}},
    {"does_something_before_break",
     "4 + 3 + 2 + 1; 1 in each of 4 passes; 3 + 2 + 1; 4",
     {12, 24, 1, 4}},
    {"goes_forward",
     "all lanes, every other, those with the others but every fourth, all",
     {4, 16, 1, 4}},
    {"goes_back", "each of 4 passes: all lanes, every other", {8, 32, 1, 4}},
    {"asks_in_short",
     "all lanes, those whose bit 0 is 0, of them those whose bit 1 is, all lanes",
     {4, 16, 1, 4}},
    {"does_while", "4 + 3 + 2 + 1, then all lanes", {5, 14, 1, 4}},
    {"does_while_in_a_loop", "twice 4 + 3 + 2 + 1", {8, 20, 2, 8}},
    {"chooses", "every other lane, the others, every fourth, all", {4, 16, 1, 4}},
    {"returns_early",
     "all lanes, those that have not returned, of them those that have not again",
     {3, 12, 2, 8}},
    {"calls",
     "every eighth lane, three ways through the function, all, three again, all",
     {9, 36, 1, 4}},
    {"calls_in_a_loop",
     "each of 2 passes: three ways through the function, all lanes",
     {8, 32, 1, 4}},
    {"walks_a_triangle", "1 + 2 + 3 + 4", {4, 10, 1, 4}},
};

TEST(OddControlFlow, AsksOfMemoryWhatItAsksOfAGpusInEveryLayout) {
  for (const auto& [layout, kernels] : odd_kernels()) {
    EXPECT_EQ(kernels.size(), std::size(cases)) << layout;
    for (const auto& c : cases) {
      ASSERT_TRUE(kernels.contains(c.kernel)) << layout << ": " << c.kernel;
      EXPECT_EQ(traffic_of(kernels.at(c.kernel)), c.traffic)
          << layout << ": " << c.kernel << ": " << c.why;
    }
  }
}

}  // namespace
}  // namespace tilewise::simt
