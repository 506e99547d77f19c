#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/gpu/gpu_profile.hpp"
#include "common/model/kernel_time.hpp"
#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {
namespace {

simt::LineCounters coalesced_load(int line) {
  simt::LineCounters counted{"a.cu", line, {}};
  counted.counters.global_load_requests = 100;
  counted.counters.global_load_sectors = 400;
  counted.counters.global_load_bytes = 12'800;
  return counted;
}

simt::LineCounters strided_store(int line) {
  simt::LineCounters counted{"a.cu", line, {}};
  counted.counters.global_store_requests = 100;
  counted.counters.global_store_sectors = 3'200;
  counted.counters.global_store_bytes = 12'800;
  return counted;
}

simt::LineCounters broadcast_load(int line) {
  simt::LineCounters counted{"a.cu", line, {}};
  counted.counters.global_load_requests = 1'000;
  counted.counters.global_load_sectors = 1'000;
  counted.counters.global_load_bytes = 4'000;
  return counted;
}

/// Counts a line that loads one word for all lanes and one word for each lane.
simt::LineCounters row_and_column_load(int line) {
  simt::LineCounters counted{"a.cu", line, {}};
  counted.counters.global_load_requests = 200;
  counted.counters.global_load_sectors = 500;
  counted.counters.global_load_bytes = 13'200;
  return counted;
}

simt::LineCounters conflicting_load(int line) {
  simt::LineCounters counted{"a.cu", line, {}};
  counted.counters.shared_load_requests = 200;
  counted.counters.shared_load_wavefronts = 3'200;
  counted.counters.shared_bank_conflicts = 3'000;
  return counted;
}

TEST(WorstLine, NamesTheLineAndWhy) {
  const struct {
    std::vector<simt::LineCounters> lines;
    int line;
    const char* why;
  } cases[] = {
      {{coalesced_load(1), strided_store(2)},
       2,
       "scattered: a request moves 32.0 sectors where 4.0 would do"},
      {{conflicting_load(3), strided_store(4)},
       3,
       "bank conflicts: a request takes 16.0 wavefronts where 1.0 would do"},
      {{row_and_column_load(8)}, 8, "busiest: 100% of all sectors and wavefronts"},
      {{coalesced_load(5)}, 5, "busiest: 100% of all sectors and wavefronts"},
      {{coalesced_load(6), broadcast_load(7)}, 7, "busiest: 71% of all sectors and wavefronts"},
  };
  for (const auto& expected : cases) {
    const auto worst = worst_line(expected.lines);
    ASSERT_TRUE(worst);
    EXPECT_EQ(worst->line.line, expected.line);
    EXPECT_EQ(worst->why, expected.why);
  }
}

TEST(WorstLine, IsNoneWithoutLines) { EXPECT_FALSE(worst_line({})); }

/// Returns all names that the model has for limiters.
std::set<std::string> limiters() {
  // These limiters are not among the parts of a time.
  std::set<std::string> names = {"partition camping",      "too few blocks",
                                 "last wave partly empty", "wavefronts of global accesses",
                                 "shared wavefronts",      "warp shuffles"};
  for (const bool double_precision : {false, true}) {
    model::KernelWork work;
    work.operations = 1;
    work.double_precision = double_precision;
    for (const model::TimePart& part :
         model::kernel_time(core::gpu_profile("gtx1080"), work).parts) {
      names.insert(part.name);
    }
  }
  return names;
}

TEST(LimiterAdvice, HasASentenceForEveryLimiter) {
  for (const std::string& limiter : limiters()) {
    EXPECT_TRUE(limiter_advice(limiter).ends_with(".")) << limiter;
  }
}

TEST(LimiterAdvice, HasNoneForWhatIsNoLimiter) { EXPECT_EQ(limiter_advice("bad luck"), ""); }

}  // namespace
}  // namespace tilewise::grading
