// That common/theory/testdata/model_counters.csv is what the simulator counts: a few of its rows,
// of each GPU and kind of kernel, anew.

#include "common/simt/validation/model_rows.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "common/core/files.hpp"
#include "common/theory/kernel_metrics.hpp"

namespace tilewise::simt {
namespace {

std::vector<std::string> recorded_lines() {
  std::ifstream file(core::project_root() / "common/theory/testdata/model_counters.csv");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(ModelRows, AreWhatTheSimulatorCounts) {
  const auto rows = theory::reference_table("model_measurements.csv");
  const std::vector<std::string> recorded = recorded_lines();
  ASSERT_EQ(recorded.size(), rows.size() + 1);
  EXPECT_EQ(recorded[0], model_counters_header());
  // The smallest order of each function on each GPU takes a second or less.
  constexpr int largest = 1024;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].integer("n") > largest && rows[i].text("document") != "put2025") continue;
    const std::string kind = rows[i].text("gpu") + " " + rows[i].text("function");
    if (!seen.insert(kind).second) continue;
    EXPECT_EQ(model_counters_line(rows[i]), recorded[i + 1]) << rows[i].place();
  }
  EXPECT_GE(seen.size(), 18u);
}

/// Shared efficiency of a call of model_measurements.csv, and that of its lanes.
theory::KernelMetrics shared_metrics(const std::string& function, int n, int tile, int results) {
  for (const theory::ReferenceRow& row : theory::reference_table("model_measurements.csv")) {
    if (row.text("function") != function || row.integer("n") != n || row.integer("a") != tile ||
        row.integer("b") != results || row.text("gpu") == "h200") {
      continue;
    }
    const Counters counters = profile_of(row).counters;
    theory::KernelWork work;
    work.shared_load_wavefronts = double(counters.shared_load_wavefronts_merged);
    work.shared_store_wavefronts = double(counters.shared_store_wavefronts);
    work.shared_bytes = double(counters.shared_load_bytes + counters.shared_store_bytes);
    work.shared_lane_bytes =
        double(counters.shared_load_lane_bytes + counters.shared_store_lane_bytes);
    const core::GpuProfile gpu = core::gpu_profile(row.text("gpu"));
    return theory::kernel_metrics(gpu, work, theory::kernel_time(gpu, work));
  }
  ADD_FAILURE() << "no " << function << " of n = " << n;
  return {};
}

// course2025: 42.31% with blocks of 16 x 16 and 4 results, 70% with 32 x 32. Distinct bytes: a word
// of A is one, however many lanes want it.
TEST(ModelRows, HaveTheSharedEfficiencyOfCourse2025) {
  EXPECT_NEAR(shared_metrics("matmul_strided", 1024, 16, 4).shared_efficiency_pct, 42.31, 0.005);
  EXPECT_NEAR(shared_metrics("matmul_strided", 1024, 32, 4).shared_efficiency_pct, 70.00, 0.005);
}

// fing2020: 132.00% of DGEMM with tiles, 0.00% without. There a word of A is 32, one a lane.
TEST(ModelRows, HaveTheSharedEfficiencyOfFing2020) {
  const theory::KernelMetrics tiles = shared_metrics("fing2020_dgemm_shared", 512, 0, 0);
  EXPECT_NEAR(tiles.shared_efficiency_of_lanes_pct, 132.00, 0.005);
  EXPECT_NEAR(tiles.shared_efficiency_pct, 70.00, 0.005);
  EXPECT_EQ(shared_metrics("fing2020_dgemm_global", 512, 0, 0).shared_efficiency_of_lanes_pct, 0);
  // Published are 9.99% and 6.10% of kernels whose code is not.
  const double told_by_memory =
      shared_metrics("fing2020_dtrsm_32_shared", 512, 0, 0).shared_efficiency_of_lanes_pct;
  const double told_by_shuffles =
      shared_metrics("fing2020_dtrsm_32_shuffle", 512, 0, 0).shared_efficiency_of_lanes_pct;
  EXPECT_NEAR(told_by_memory, 9.99, 1.5);
  EXPECT_NEAR(told_by_shuffles, 6.10, 0.5);
  EXPECT_GT(told_by_memory, told_by_shuffles);
}

}  // namespace
}  // namespace tilewise::simt
