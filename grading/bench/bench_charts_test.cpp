#include "grading/bench/bench_charts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "grading/bench/example_bench.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_of(const std::vector<NamedChart>& charts) {
  std::vector<std::string> names;
  for (const NamedChart& chart : charts) names.push_back(chart.name);
  return names;
}

Chart chart_called(const std::string& name, const std::vector<NamedChart>& charts) {
  return std::ranges::find(charts, name, &NamedChart::name)->chart;
}

std::vector<std::string> lines_of(const Chart& chart) {
  std::vector<std::string> names;
  for (const Series& series : chart.series) names.push_back(series.name);
  return names;
}

BenchRow without_choice(const std::string& function, int n, Contender contender) {
  BenchRow row = example_row("07_transpose", function, 32, n, 200, contender);
  row.block.clear();
  row.unit = "GB/s";
  row.cgma.reset();
  return row;
}

TEST(BenchCharts, DrawEachFunctionByBlockAndAllVersions) {
  const auto charts = charts_of(example_bench());
  EXPECT_THAT(
      names_of(charts),
      ElementsAre(
          "03_shared_memory-matmul_shared-rate", "03_shared_memory-matmul_shared-time",
          "03_shared_memory-matmul_shared-cgma", "04_prefetch-matmul_prefetch_register-rate",
          "04_prefetch-matmul_prefetch_register-time", "04_prefetch-matmul_prefetch_register-cgma",
          "04_prefetch-matmul_prefetch_shared-rate", "04_prefetch-matmul_prefetch_shared-time",
          "04_prefetch-matmul_prefetch_shared-cgma", "versions-matmul"));

  const Chart& rate = charts[0].chart;
  EXPECT_EQ(rate.title, "matmul_shared: GFLOPS, gtx1080 (modelled)");
  EXPECT_EQ(rate.y.label, "GFLOPS");
  EXPECT_TRUE(rate.x.logarithmic);
  EXPECT_FALSE(rate.y.logarithmic);
  EXPECT_THAT(lines_of(rate), ElementsAre("tile 8", "tile 16", "tile 22", "tile 32", "solution"));
  ASSERT_EQ(rate.series[3].points.size(), 5u);
  EXPECT_EQ(rate.series[3].points[4].x, 2048);
  EXPECT_NEAR(rate.series[3].points[4].y, 810 * 2048 / 2248., 1e-9) << "the student's, tile 32";
  EXPECT_NEAR(rate.series[4].points[4].y, 900 * 2048 / 2248., 1e-9) << "the solution's best";

  const Chart& time = charts[1].chart;
  EXPECT_EQ(time.y.label, "time (ms)");
  EXPECT_TRUE(time.y.logarithmic);
  const Chart& cgma = charts[2].chart;
  EXPECT_THAT(lines_of(cgma), ElementsAre("tile 8", "tile 16", "tile 22", "tile 32"));

  const Chart& versions = charts.back().chart;
  EXPECT_EQ(versions.size, ChartSize::whole);
  EXPECT_THAT(lines_of(versions),
              ElementsAre("matmul_shared tile 32", "matmul_prefetch_register tile 32",
                          "matmul_prefetch_shared tile 32"));
}

TEST(BenchCharts, PutFunctionsWithoutAChoiceIntoOneChart) {
  BenchReport report = example_bench();
  report.modelled = false;
  report.device = "NVIDIA H200";
  report.rows.clear();
  for (const char* function : {"transpose_naive", "transpose_tiled"}) {
    for (const Contender contender : {Contender::solution, Contender::openblas, Contender::copy}) {
      for (const int n : {1024, 2048}) {
        report.rows.push_back(without_choice(function, n, contender));
      }
    }
  }
  const auto charts = charts_of(report);
  EXPECT_THAT(names_of(charts),
              ElementsAre("07_transpose-rate", "07_transpose-time", "versions-transpose"));
  const Chart& rate = charts[0].chart;
  EXPECT_EQ(rate.title, "stage 07_transpose: GB/s, NVIDIA H200 (measured)");
  EXPECT_THAT(lines_of(rate), ElementsAre("transpose_naive", "transpose_tiled", "a copy"));
  EXPECT_FALSE(rate.x.logarithmic) << "1024 and 2048 lie close together";
}

TEST(BenchCharts, LeaveOutWhatHasNoFigures) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    if (row.contender == Contender::student && row.block == "tile 32") row.right = false;
    if (row.contender == Contender::student && row.block == "tile 16") row.problem = "it crashed";
    if (row.stage == "04_prefetch" && row.contender == Contender::student) row.problem = "empty";
  }
  const auto charts = charts_of(report);
  EXPECT_THAT(names_of(charts), ElementsAre("03_shared_memory-matmul_shared-rate",
                                            "03_shared_memory-matmul_shared-time",
                                            "03_shared_memory-matmul_shared-cgma"))
      << "no chart of the solution alone, and nothing to compare";
  EXPECT_THAT(lines_of(charts[0].chart), ElementsAre("tile 8", "tile 22", "solution"));
  report.rows.clear();
  EXPECT_THAT(charts_of(report), IsEmpty());
}

TEST(BenchCharts, ShowTheFastestOfManyBlocks) {
  BenchReport report = example_bench();
  report.rows.clear();
  for (int tile = 1; tile <= 12; ++tile) {
    for (const int n : {256, 512}) {
      report.rows.push_back(example_row("06_work_rx_ry", "matmul_rx_ry", tile, n, 100 * tile));
    }
  }
  const Chart rate = chart_called("06_work_rx_ry-matmul_rx_ry-rate", charts_of(report));
  EXPECT_THAT(rate.title, HasSubstr("8 fastest of 12"));
  EXPECT_THAT(lines_of(rate), ElementsAre("tile 5", "tile 6", "tile 7", "tile 8", "tile 9",
                                          "tile 10", "tile 11", "tile 12"));
}

}  // namespace
}  // namespace tilewise::grading
