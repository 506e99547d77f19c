#include "grading/examiner/memory_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "grading/worker/call.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Returns the counters of a line of matmul.cu that loads.
simt::LineCounters loads(int line, std::uint64_t requests, std::uint64_t sectors,
                         std::uint64_t bytes) {
  simt::LineCounters counted{"matmul.cu", line, {}};
  counted.counters.global_load_requests = requests;
  counted.counters.global_load_sectors = sectors;
  counted.counters.global_load_bytes = bytes;
  return counted;
}

simt::LineCounters shared_loads(int line, std::uint64_t requests, std::uint64_t wavefronts) {
  simt::LineCounters counted{"matmul.cu", line, {}};
  counted.counters.shared_load_requests = requests;
  counted.counters.shared_load_wavefronts = wavefronts;
  counted.counters.shared_bank_conflicts = wavefronts - requests;
  return counted;
}

CountedCall call_with(const std::vector<simt::LineCounters>& lines) {
  CountedCall call{"matmul(n=64)", {}};
  call.use.lines = lines;
  for (const simt::LineCounters& line : lines) add(call.use.total, line.counters);
  return call;
}

const TrafficTheory theory{2'000, 5'000, "a warp needs 1 element of A"};

TEST(ExcessTraffic, IsNoneWithinTheSlack) {
  const struct {
    const char* what;
    std::vector<simt::LineCounters> lines;
  } cases[] = {
      {"as theory has it", {loads(1, 1'000, 1'000, 4'000), loads(2, 1'000, 4'000, 128'000)}},
      {"half as much again", {loads(1, 3'000, 7'500, 240'000)}},
      {"nothing at all", {}},
      {"fewer, wider requests", {loads(1, 300, 4'800, 153'600)}},
  };
  for (const auto& [what, lines] : cases) {
    EXPECT_FALSE(excess_traffic(call_with(lines), global_loads, theory, 1.5, "advice")) << what;
  }
}

TEST(ExcessTraffic, TellsRepeatedFromScatteredAccesses) {
  const struct {
    const char* what;
    std::vector<simt::LineCounters> lines;
    int line;
    const char* message;
    const char* hint;
  } cases[] = {
      {"requests",
       {loads(1, 40'000, 5'000, 160'000), loads(2, 100, 400, 12'800)},
       1,
       "matmul(n=64): its loads of global memory take 40,100 requests of a warp and 5,400 sectors "
       "of 32 bytes; 2,000 and 5,000 suffice, since a warp needs 1 element of A. Line 1 makes "
       "40,000 of the requests.",
       "advice"},
      {"wide requests",
       {loads(3, 1'000, 16'000, 512'000)},
       3,
       "take 16,000 sectors of 32 bytes; 5,000 suffice, since a warp needs 1 element of A. Line 3 "
       "makes 1,000",
       "advice"},
      {"scattered",
       {loads(1, 1'000, 1'000, 4'000), loads(2, 1'000, 32'000, 128'000)},
       2,
       "Line 2 scatters them: a request there moves 32.0 sectors where 4.0 would do, and 12.5% of "
       "what they bring is used.",
       "threadIdx.x run along a row"},
  };
  for (const auto& expected : cases) {
    const auto finding =
        excess_traffic(call_with(expected.lines), global_loads, theory, 1.5, "advice");
    ASSERT_TRUE(finding) << expected.what;
    EXPECT_EQ(finding->line, expected.line) << expected.what;
    EXPECT_EQ(finding->file, "matmul.cu");
    EXPECT_THAT(finding->message, HasSubstr(expected.message)) << expected.what;
    EXPECT_THAT(finding->hint, HasSubstr(expected.hint)) << expected.what;
  }
}

TEST(ExcessTraffic, KnowsWhereTurningTheThreadsRoundIsNoHelp) {
  simt::LineCounters moves = loads(7, 1'000, 32'000, 128'000);
  moves.counters.global_store_requests = 1'000;
  moves.counters.global_store_sectors = 4'000;
  moves.counters.global_store_bytes = 128'000;
  const char* turn_round = "threadIdx.x run along a row";
  const auto hint_for = [](const simt::LineCounters& line) {
    const auto finding = excess_traffic(call_with({line}), global_loads, theory, 1.5, "advice");
    return finding ? finding->hint : "";
  };
  EXPECT_THAT(hint_for(moves),
              AllOf(HasSubstr("bring a tile into shared memory"), Not(HasSubstr(turn_round))));
  simt::LineCounters by_tiles = moves;
  by_tiles.counters.shared_store_requests = 1'000;
  EXPECT_THAT(hint_for(by_tiles), HasSubstr(turn_round));
  simt::LineCounters sums_up = moves;
  sums_up.counters.global_store_bytes = 32'000;
  EXPECT_THAT(hint_for(sums_up), HasSubstr(turn_round));
}

TEST(ScatteredLine, IsFoundBesideTrafficThatJoins) {
  const simt::LineCounters joins = loads(1, 10'000, 40'000, 1'280'000);
  const struct {
    const char* what;
    simt::LineCounters line;
    bool found;
  } cases[] = {
      {"half of each sector is used", loads(2, 1'000, 8'000, 128'000), false},
      {"three times what would do", loads(2, 1'000, 12'000, 128'000), false},
      {"a quarter is used", loads(2, 1'000, 16'000, 128'000), true},
      {"a twentieth of all requests", loads(2, 527, 8'432, 67'456), true},
      {"fewer requests than that", loads(2, 525, 8'400, 67'200), false},
      {"each thread asks for all of its sectors", loads(2, 1'000, 32'000, 1'024'000), false},
      {"one lane a request", loads(2, 1'000, 1'000, 4'000), false},
  };
  for (const auto& [what, line, found] : cases) {
    const auto finding = scattered_line(call_with({joins, line}), global_loads);
    ASSERT_EQ(finding.has_value(), found) << what;
    if (!found) continue;
    EXPECT_EQ(finding->line, 2) << what;
    EXPECT_THAT(finding->message,
                HasSubstr("matmul(n=64): not all its loads of global memory join. Line 2 scatters "
                          "them: a request there moves 16.0 sectors where 4.0 would do"))
        << what;
  }
  EXPECT_FALSE(scattered_line(call_with({}), global_loads));
}

TEST(ExcessTraffic, LooksAtTheKindItIsAskedFor) {
  EXPECT_FALSE(excess_traffic(call_with({loads(1, 40'000, 5'000, 160'000)}), global_stores, theory,
                              1.5, "advice"));
}

TEST(ExcessBankConflicts, ForgivesATenth) {
  EXPECT_FALSE(excess_bank_conflicts(call_with({shared_loads(1, 1'000, 1'100)}), 32));
  EXPECT_FALSE(excess_bank_conflicts(call_with({}), 32));
}

TEST(ExcessBankConflicts, NamesTheLine) {
  const auto finding = excess_bank_conflicts(
      call_with({shared_loads(1, 1'000, 1'000), shared_loads(2, 100, 3'200)}), 32);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->line, 2);
  EXPECT_EQ(finding->message,
            "matmul(n=64): 3,100 of 4,200 wavefronts of shared memory are bank conflicts. Line 2 "
            "is the worst: a request of a warp there takes 32.0 wavefronts where 1.0 would do.");
  EXPECT_THAT(finding->hint, HasSubstr("one element longer"));
}

// Padding by one element is for warps that are one row of a block.
TEST(ExcessBankConflicts, LooksAtTheWidthOfBlocks) {
  struct Case {
    unsigned width;
    int lanes;
    std::uint64_t wavefronts;  // of 100 requests
    const char* hint;
  };
  const Case cases[] = {
      {16, 32, 200, "The blocks are 16 threads wide, so that the 32 lanes of a request are 2 rows"},
      {8, 32, 400, "Let blocks be 32 threads wide, and fewer high."},
      {16, 32, 800, "one element longer"},
      {32, 32, 200, "one element longer"},
      {16, 16, 200, "one element longer"},
  };
  for (const auto& [width, lanes, wavefronts, hint] : cases) {
    CountedCall call = call_with({shared_loads(1, 100, wavefronts)});
    call.launches.resize(2);
    for (auto& launch : call.launches) launch.launch.block = {width, 16, 1};
    const auto finding = excess_bank_conflicts(call, lanes);
    ASSERT_TRUE(finding) << width;
    EXPECT_THAT(finding->hint, HasSubstr(hint)) << width;
    call.launches.back().launch.block[0] = 64;
    EXPECT_THAT(excess_bank_conflicts(call, lanes)->hint, HasSubstr("one element longer"));
  }
}

/// Returns a call of 180 blocks, of which a GTX 280 holds 90 at a time. The second half moves
/// everything evenly.
CountedCall call_of_two_halves(const simt::PartitionBytes& of_first_half) {
  constexpr std::array<std::uint64_t, 8> even = {16, 16, 16, 16, 16, 16, 16, 16};
  KernelProfile launch;
  launch.launch = {"transpose_kernel", {180, 1, 1}, {256, 1, 1}, 0, "transpose.cu", 77};
  launch.static_shared_bytes = 4224;
  launch.blocks = 180;
  launch.partitions_by_run.assign(90, of_first_half);
  launch.partitions_by_run.resize(180, {.loads = even, .stores = even});
  return {"transpose(rows=1024, cols=1024)", {}, {launch}};
}

TEST(PartitionCamping, IsNoneWhereThreePartitionsAreBusy) {
  const core::GpuProfile gtx280 = core::gpu_profile("gtx280");
  // 256 bytes a block in all, 32 + 16 of them in the busiest partitions: 5.3 of 8.
  EXPECT_FALSE(partition_camping(
      call_of_two_halves({.loads = {32, 32, 32, 32}, .stores = {0, 0, 0, 0, 32, 32, 32, 32}}),
      gtx280));
  EXPECT_FALSE(partition_camping({"matmul(n=64)", {}, {KernelProfile{}}}, gtx280));
  EXPECT_FALSE(partition_camping({"matmul(n=64)", {}}, gtx280));
}

TEST(PartitionCamping, NamesTheBlocksAndTheirPartitions) {
  constexpr std::array<std::uint64_t, 8> even = {16, 16, 16, 16, 16, 16, 16, 16};
  const struct {
    const char* what;
    simt::PartitionBytes first_half;
    const char* message;
  } cases[] = {
      {"stores to one partition",
       {.loads = even, .stores = {0, 0, 0, 128, 0, 0, 0, 0}},
       "transpose(rows=1024, cols=1024): its stores keep 1.8 of 8 DRAM partitions busy. 90 of its "
       "blocks are on the card at a time, and blocks 0 to 89 store to partition 3 only: there they "
       "wait for each other."},
      {"loads from three",
       {.loads = {120, 4, 4, 0, 0, 0, 0, 0}, .stores = even},
       "its loads keep 1.9 of 8 DRAM partitions busy. 90 of its blocks are on the card at a time, "
       "and blocks 0 to 89 load from partitions 0, 1 and 2 only"},
      {"stores nearly all to one",
       {.loads = even, .stores = {1, 1, 1, 1, 1, 1, 1, 121}},
       "and of what blocks 0 to 89 move, 95% lies in partition 7: there they wait"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const auto finding =
        partition_camping(call_of_two_halves(c.first_half), core::gpu_profile("gtx280"));
    ASSERT_TRUE(finding);
    EXPECT_THAT(finding->message, HasSubstr(c.message));
    EXPECT_THAT(finding->hint, HasSubstr("other rows and other columns"));
    EXPECT_EQ(finding->file, "transpose.cu");
    EXPECT_EQ(finding->line, 77);
  }
}

}  // namespace
}  // namespace tilewise::grading
