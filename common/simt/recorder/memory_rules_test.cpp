#include "common/simt/recorder/memory_rules.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace tilewise::simt {
namespace {

struct Case {
  std::string name;
  unsigned bytes;
  std::function<unsigned(unsigned lane)> address;
  std::uint32_t lanes = ~0u;
};

LaneAddresses addresses_of(const Case& pattern, bool load) {
  LaneAddresses addresses{pattern.lanes, pattern.bytes, load, {}};
  constexpr unsigned origin = 4096;  // room for addresses before it
  for (unsigned lane = 0; lane < 32; ++lane) addresses.at[lane] = origin + pattern.address(lane);
  return addresses;
}

MemoryRules rules_of(const char* gpu) { return MemoryRules(core::gpu_profile(gpu)); }

struct SharedCase {
  Case pattern;
  unsigned load, load_conflicts, store;  ///< wavefronts and conflicts
};

// What an H200 counts; validation/ has many more patterns.
const SharedCase shared_cases[] = {
    {{"one word", 4, [](unsigned) { return 0; }}, 1, 0, 1},
    {{"consecutive", 4, [](unsigned l) { return 4 * l; }}, 1, 0, 1},
    {{"two apart", 4, [](unsigned l) { return 8 * l; }}, 2, 1, 2},
    {{"a column of 32", 4, [](unsigned l) { return 128 * l; }}, 32, 31, 32},
    {{"a column of 33", 4, [](unsigned l) { return 132 * l; }}, 1, 0, 1},
    {{"two rows of 16, pitch 16", 4, [](unsigned l) { return 4 * l; }}, 1, 0, 1},
    {{"two rows of 16, pitch 32", 4, [](unsigned l) { return l / 16 * 128 + l % 16 * 4; }},
     2,
     1,
     2},
    {{"half the lanes of a column", 4, [](unsigned l) { return 128 * l; }, 0x0000ffff}, 16, 15, 16},
    {{"bytes of one word", 1, [](unsigned l) { return l % 4; }}, 1, 0, 1},
    {{"8 bytes, consecutive", 8, [](unsigned l) { return 8 * l; }}, 2, 0, 2},
    {{"8 bytes, one element", 8, [](unsigned) { return 0; }}, 1, 0, 2},
    {{"8 bytes, in pairs", 8, [](unsigned l) { return l / 2 * 8; }}, 1, 0, 2},
    {{"8 bytes, both halves alike", 8, [](unsigned l) { return l % 16 * 8; }}, 2, 0, 2},
    {{"8 bytes, two apart", 8, [](unsigned l) { return 16 * l; }}, 4, 2, 4},
    {{"16 bytes, consecutive", 16, [](unsigned l) { return 16 * l; }}, 4, 0, 4},
    {{"16 bytes, one element", 16, [](unsigned) { return 0; }}, 2, 0, 4},
    {{"16 bytes, an element a half", 16, [](unsigned l) { return l / 16 * 512; }}, 2, 0, 4},
    {{"16 bytes, an element a quarter", 16, [](unsigned l) { return l / 8 * 16; }}, 2, 0, 4},
    {{"16 bytes, both halves alike", 16, [](unsigned l) { return l % 16 * 16; }}, 4, 0, 4},
    {{"16 bytes, one lane", 16, [](unsigned) { return 0; }, 1}, 1, 0, 1},
};

TEST(SharedCost, CountsWavefrontsAsAnH200) {
  for (const SharedCase& c : shared_cases) {
    SCOPED_TRACE(c.pattern.name);
    const SharedCost load = shared_cost(addresses_of(c.pattern, true), rules_of("h200"));
    EXPECT_EQ(load.requests, 1u);
    EXPECT_EQ(load.wavefronts, c.load);
    EXPECT_EQ(load.conflicts, c.load_conflicts);
    EXPECT_EQ(shared_cost(addresses_of(c.pattern, false), rules_of("h200")).wavefronts, c.store);
  }
}

struct HalfWarpCase {
  Case pattern;
  unsigned requests, wavefronts, conflicts;
};

// CUDA C++ Programming Guide 3.2, G.3.3: 16 banks, half a warp at a time, one word is broadcast.
const HalfWarpCase half_warp_cases[] = {
    {{"one word", 4, [](unsigned) { return 0; }}, 2, 2, 0},
    {{"consecutive", 4, [](unsigned l) { return 4 * l; }}, 2, 2, 0},
    {{"two apart", 4, [](unsigned l) { return 8 * l; }}, 2, 4, 2},
    {{"a column of 16", 4, [](unsigned l) { return 64 * l; }}, 2, 32, 30},
    {{"a column of 17", 4, [](unsigned l) { return 68 * l; }}, 2, 2, 0},
    {{"two words of one bank", 4, [](unsigned l) { return l % 2 * 64; }}, 2, 4, 2},
    {{"a word of all, and a row", 4, [](unsigned l) { return l % 16 < 8 ? 0 : 4 * (l % 16); }},
     2,
     2,
     0},
    {{"the first half only", 4, [](unsigned l) { return 4 * l; }, 0x0000ffff}, 1, 1, 0},
    {{"doubles", 8, [](unsigned l) { return 8 * l; }}, 2, 8, 4},
};

TEST(SharedCost, TakesHalfWarpsOnComputeCapability1) {
  for (const HalfWarpCase& c : half_warp_cases) {
    SCOPED_TRACE(c.pattern.name);
    const SharedCost cost = shared_cost(addresses_of(c.pattern, true), rules_of("gtx280"));
    EXPECT_EQ(cost.requests, c.requests);
    EXPECT_EQ(cost.wavefronts, c.wavefronts);
    EXPECT_EQ(cost.conflicts, c.conflicts);
  }
}

struct GlobalCase {
  Case pattern;
  unsigned sectors, bytes;                               ///< compute capability 2 and later
  unsigned old_requests, old_sectors, old_transactions;  ///< 1.2 and 1.3
};

const GlobalCase global_cases[] = {
    {{"one word", 4, [](unsigned) { return 0; }}, 1, 4, 2, 2, 2},
    {{"consecutive", 4, [](unsigned l) { return 4 * l; }}, 4, 128, 2, 4, 2},
    {{"consecutive, a word on", 4, [](unsigned l) { return 4 * l + 4; }}, 5, 128, 2, 7, 3},
    {{"backwards", 4, [](unsigned l) { return 4 * (31 - l); }}, 4, 128, 2, 4, 2},
    {{"two apart", 4, [](unsigned l) { return 8 * l; }}, 8, 128, 2, 8, 2},
    {{"a column", 4, [](unsigned l) { return 4096 * l; }}, 32, 128, 2, 32, 32},
    {{"bytes", 1, [](unsigned l) { return l; }}, 1, 32, 2, 2, 2},
    {{"shorts", 2, [](unsigned l) { return 2 * l; }}, 2, 64, 2, 2, 2},
    {{"doubles", 8, [](unsigned l) { return 8 * l; }}, 8, 256, 2, 8, 2},
    {{"float4", 16, [](unsigned l) { return 16 * l; }}, 16, 512, 2, 16, 4},
    {{"one lane", 4, [](unsigned) { return 0; }, 1u << 7}, 1, 4, 1, 1, 1},
};

TEST(GlobalCost, CountsSectors) {
  for (const GlobalCase& c : global_cases) {
    SCOPED_TRACE(c.pattern.name);
    const GlobalCost cost = global_cost(addresses_of(c.pattern, true), rules_of("gtx1080"));
    EXPECT_EQ(cost.requests, 1u);
    EXPECT_EQ(cost.sectors, c.sectors);
    EXPECT_EQ(cost.bytes, c.bytes);
  }
}

TEST(GlobalCost, MovesSegmentsOnComputeCapability1) {
  for (const GlobalCase& c : global_cases) {
    SCOPED_TRACE(c.pattern.name);
    const GlobalCost cost = global_cost(addresses_of(c.pattern, true), rules_of("gt240"));
    EXPECT_EQ(cost.requests, c.old_requests);
    EXPECT_EQ(cost.sectors, c.old_sectors);
    EXPECT_EQ(cost.transactions, c.old_transactions);
  }
}

TEST(PartitionBytes, TakeTurnsEvery256Bytes) {
  const auto bytes_of = [](const Case& pattern) {
    std::array<std::uint64_t, dram_partitions> bytes = {};
    add_partition_bytes(addresses_of(pattern, true), bytes);
    return bytes;
  };
  using Bytes = std::array<std::uint64_t, dram_partitions>;
  EXPECT_EQ(bytes_of({"a row", 4, [](unsigned l) { return 4 * l; }}),
            (Bytes{128, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes_of({"a row across a boundary", 4, [](unsigned l) { return 192 + 4 * l; }}),
            (Bytes{64, 64, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes_of({"a column of 512 floats", 4, [](unsigned l) { return 2048 * l; }}),
            (Bytes{1024, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(bytes_of({"a column of 64 floats", 4, [](unsigned l) { return 256 * l; }}),
            (Bytes{128, 128, 128, 128, 128, 128, 128, 128}));
}

TEST(MemoryRules, AtomicsOfOneBankAreServedLaneByLane) {
  const struct {
    Case pattern;
    unsigned wavefronts, conflicts;
  } cases[] = {
      {{"consecutive", 4, [](unsigned l) { return 4 * l; }}, 1, 0},
      {{"one word", 4, [](unsigned) { return 0; }}, 32, 0},
      {{"four words", 4, [](unsigned l) { return l % 4 * 4; }}, 8, 0},
      {{"two apart", 4, [](unsigned l) { return 8 * l; }}, 2, 1},
      {{"a column of 32", 4, [](unsigned l) { return 128 * l; }}, 32, 31},
      {{"8 bytes, one element", 8, [](unsigned) { return 0; }}, 32, 0},
  };
  for (const auto& expected : cases) {
    LaneAddresses addresses = addresses_of(expected.pattern, false);
    addresses.atomic = true;
    const SharedCost cost = shared_cost(addresses, rules_of("gtx1080"));
    EXPECT_EQ(cost.wavefronts, expected.wavefronts) << expected.pattern.name;
    EXPECT_EQ(cost.conflicts, expected.conflicts) << expected.pattern.name;
  }
}

}  // namespace
}  // namespace tilewise::simt
