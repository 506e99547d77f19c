#include "grading/examiner/memory_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grading/worker/counters.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;

/// A line of `file` that loads.
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
      {"wide requests", {loads(3, 1'000, 16'000, 512'000)}, 3, "Line 3 makes 1,000", "advice"},
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

TEST(ExcessTraffic, LooksAtTheKindItIsAskedFor) {
  EXPECT_FALSE(excess_traffic(call_with({loads(1, 40'000, 5'000, 160'000)}), global_stores, theory,
                              1.5, "advice"));
}

TEST(ExcessBankConflicts, ForgivesATenth) {
  EXPECT_FALSE(excess_bank_conflicts(call_with({shared_loads(1, 1'000, 1'100)})));
  EXPECT_FALSE(excess_bank_conflicts(call_with({})));
}

TEST(ExcessBankConflicts, NamesTheLine) {
  const auto finding = excess_bank_conflicts(
      call_with({shared_loads(1, 1'000, 1'000), shared_loads(2, 100, 3'200)}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->line, 2);
  EXPECT_EQ(finding->message,
            "matmul(n=64): 3,100 of 4,200 wavefronts of shared memory are bank conflicts. Line 2 "
            "is the worst: a request of a warp there takes 32.0 wavefronts where 1.0 would do.");
  EXPECT_THAT(finding->hint, HasSubstr("one element longer"));
}

}  // namespace
}  // namespace tilewise::grading
