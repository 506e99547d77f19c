#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "common/base/test/matches.hpp"
#include "common/process/sandbox.hpp"
#include "grading/bench/test/example_bench.hpp"
#include "grading/labreport/lab_report.hpp"

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

/// The texts of a chart's elements of a class.
std::vector<std::string> texts(const NamedChart& chart, const std::string& classes) {
  std::vector<std::string> found;
  for (const auto& element :
       core::matches_of(chart.svg, "<text class=\"" + classes + "\"[^>]*>([^<]*)</text>")) {
    found.push_back(element[1]);
  }
  return found;
}

std::vector<std::string> lines_of(const NamedChart& chart) { return texts(chart, "name"); }
std::string title_of(const NamedChart& chart) { return texts(chart, "bold mid").at(0); }

/// Whether an axis, by the coordinates of its marks, is logarithmic: equal factors are then equally
/// far apart.
bool is_logarithmic(const NamedChart& chart, const std::string& classes, const char* coordinate) {
  const std::string mark =
      "<text class=\"" + classes + "\"[^>]* " + coordinate + "=\"([0-9.]+)\"[^>]*>([0-9.]+)</text>";
  std::vector<double> at, values;
  for (const auto& match : core::matches_of(chart.svg, mark)) {
    at.push_back(std::stod(match[1]));
    values.push_back(std::stod(match[2]));
  }
  const double half = (at.at(1) - at.at(0)) / (at.back() - at.front());
  const double by_difference = (values[1] - values[0]) / (values.back() - values.front());
  return std::abs(half - by_difference) > 0.02;
}

bool x_is_logarithmic(const NamedChart& chart) {
  return is_logarithmic(chart, "soft small mid", "x");
}
bool y_is_logarithmic(const NamedChart& chart) {
  return is_logarithmic(chart, "soft small end", "y");
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
          "03_shared_memory-matmul_shared-cgma", "03_shared_memory-matmul_shared-gips",
          "04_prefetch-matmul_prefetch_register-rate", "04_prefetch-matmul_prefetch_register-time",
          "04_prefetch-matmul_prefetch_register-cgma", "04_prefetch-matmul_prefetch_register-gips",
          "04_prefetch-matmul_prefetch_shared-rate", "04_prefetch-matmul_prefetch_shared-time",
          "04_prefetch-matmul_prefetch_shared-cgma", "04_prefetch-matmul_prefetch_shared-gips",
          "versions-matmul"));

  const NamedChart& rate = charts[0];
  EXPECT_EQ(title_of(rate), "matmul_shared: GFLOPS, gtx1080 (modelled)");
  EXPECT_THAT(rate.svg, HasSubstr(">GFLOPS</text>"));
  EXPECT_TRUE(x_is_logarithmic(rate));
  EXPECT_FALSE(y_is_logarithmic(rate));
  EXPECT_THAT(lines_of(rate), ElementsAre("tile 8", "tile 16", "tile 22", "tile 32", "solution"));
  EXPECT_THAT(rate.svg, HasSubstr("tile 32: 737.9 at 2048<")) << "the student's";
  EXPECT_THAT(rate.svg, HasSubstr("solution: 819.9 at 2048<")) << "the solution's best";

  const NamedChart& time = charts[1];
  EXPECT_THAT(time.svg, HasSubstr(">time (ms)</text>"));
  EXPECT_TRUE(y_is_logarithmic(time));
  EXPECT_THAT(lines_of(charts[2]), ElementsAre("tile 8", "tile 16", "tile 22", "tile 32"));
  EXPECT_EQ(title_of(charts[3]), "matmul_shared: GIPS, gtx1080 (modelled)");
  EXPECT_THAT(lines_of(charts[3]), ElementsAre("tile 8", "tile 16", "tile 22", "tile 32"));

  const NamedChart& versions = charts.back();
  EXPECT_THAT(versions.svg, HasSubstr("n = 2048<")) << "the largest order of all";
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
    for (const Contender& contender : {Contender::solution, Contender::openblas, Contender::copy}) {
      for (const int n : {1024, 2048}) {
        report.rows.push_back(without_choice(function, n, contender));
      }
    }
  }
  const auto charts = charts_of(report);
  EXPECT_THAT(names_of(charts), ElementsAre("07_transpose-rate", "07_transpose-time",
                                            "07_transpose-gips", "versions-transpose"));
  const NamedChart& rate = charts[0];
  EXPECT_EQ(title_of(rate), "stage 07_transpose: GB/s, NVIDIA H200 (measured)");
  EXPECT_THAT(lines_of(rate), ElementsAre("transpose_naive, transpose_tiled, a copy"))
      << "which lie on one another";
  EXPECT_FALSE(x_is_logarithmic(rate)) << "1024 and 2048 lie close together";
}

TEST(BenchCharts, LeaveOutWhatHasNoFigures) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    if (row.contender == Contender::student && row.block == "tile 32") row.right = false;
    if (row.contender == Contender::student && row.block == "tile 16") row.problem = "it crashed";
    if (row.stage == "04_prefetch" && row.contender == Contender::student) row.problem = "empty";
  }
  const auto charts = charts_of(report);
  EXPECT_THAT(
      names_of(charts),
      ElementsAre("03_shared_memory-matmul_shared-rate", "03_shared_memory-matmul_shared-time",
                  "03_shared_memory-matmul_shared-cgma", "03_shared_memory-matmul_shared-gips"))
      << "no chart of the solution alone, and nothing to compare";
  EXPECT_THAT(lines_of(charts[0]), ElementsAre("tile 8", "tile 22", "solution"));
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
  const auto charts = charts_of(report);
  ASSERT_EQ(charts[0].name, "06_work_rx_ry-matmul_rx_ry-rate");
  const NamedChart& rate = charts[0];
  EXPECT_THAT(title_of(rate), HasSubstr("5 fastest of 12"));
  EXPECT_THAT(lines_of(rate), ElementsAre("tile 8", "tile 9", "tile 10", "tile 11", "tile 12"));
}

/// The traffic of a tile: each element that a block loads is used as often as the tile is wide.
model::KernelMetrics metrics_of(const BenchRow& row, int tile) {
  const double operations = 2.0 * row.n * row.n * row.n;
  return {.flop_count_sp = operations,
          .dram_read_bytes = operations / tile,
          .shared_bytes_moved = operations / 0.25};
}

TEST(BenchCharts, PutKernelsBelowTheRoofsOfTheGpu) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    if (row.stage == "03_shared_memory")
      row.metrics = metrics_of(row, row.block == "tile 8" ? 8 : 32);
  }
  const auto charts = charts_of(report);
  EXPECT_EQ(charts[1].name, "03_shared_memory-matmul_shared-roofline");
  const NamedChart& roofline = charts[1];
  EXPECT_THAT(roofline.svg, HasSubstr(">peak, 8,873 GFLOPS</text>"));
  EXPECT_THAT(roofline.svg, HasSubstr(">DRAM, 320.0 GB/s</text>"));
  EXPECT_THAT(roofline.svg, HasSubstr(">shared memory, 4,436 GB/s</text>"));
  EXPECT_THAT(lines_of(roofline), ElementsAre("tile 8, n = 2048", "tile 16, n = 2048",
                                              "tile 22, n = 2048", "tile 32, n = 2048"));
  EXPECT_THAT(roofline.svg, HasSubstr("tile 32, n = 2048: 737.9 GFLOPS at 32.00 operations a byte "
                                      "of DRAM<"));
  EXPECT_THAT(roofline.svg, HasSubstr(">737.9 of 1,109 by shared memory</text>")) << "0.25 a byte";
  EXPECT_EQ(charts.back().name, "versions-matmul-roofline");
}

TEST(BenchCharts, HaveNoRoofForDoublesWhereNobodyKnowsIt) {
  BenchReport report = example_bench();
  for (BenchRow& row : report.rows) {
    row.metrics = metrics_of(row, 8);
    row.metrics->flop_count_dp = std::exchange(row.metrics->flop_count_sp, 0);
  }
  EXPECT_THAT(charts_of(report)[1].svg, HasSubstr(">peak, 277.3 GFLOPS</text>"));
  report.gpu.fp64_lanes_per_sm = 0;
  for (const NamedChart& chart : charts_of(report)) {
    EXPECT_THAT(chart.name, testing::Not(HasSubstr("roofline")));
  }
}

TEST(BenchCharts, AreFilesInAFolderThatIsMadeForThem) {
  const ScratchDirectory scratch;
  const std::filesystem::path folder = scratch.path() / "a" / "plots";
  write_charts(folder, example_bench());
  for (const char* file : {"03_shared_memory-matmul_shared-rate.svg", "versions-matmul.svg"}) {
    std::ostringstream text;
    text << std::ifstream(folder / file).rdbuf();
    EXPECT_THAT(text.str(), HasSubstr("</svg>")) << file;
  }
  std::ofstream(scratch.path() / "file") << "x";
  EXPECT_THROW(write_charts(scratch.path() / "file", example_bench()), std::runtime_error);
  BenchReport elsewhere = example_bench();
  for (BenchRow& row : elsewhere.rows) row.stage = "../" + row.stage;
  EXPECT_THROW(write_charts(folder, elsewhere), std::invalid_argument);
}

TEST(BenchCharts, LeaveOutKernelsBesideAStagesOwn) {
  BenchReport report = example_bench();
  const std::vector<NamedChart> own = charts_of(report);
  report.rows.push_back(report.rows[0]);
  report.rows.back().contender = Contender::beside("tile_copy");
  report.rows.back().rate = 1e6;
  const std::vector<NamedChart> with_copy = charts_of(report);
  ASSERT_EQ(with_copy.size(), own.size());
  for (std::size_t i = 0; i < own.size(); ++i) EXPECT_EQ(with_copy[i].svg, own[i].svg);
}

}  // namespace
}  // namespace tilewise::grading
