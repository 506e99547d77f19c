#include "grading/bench/bench_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "common/model/occupancy.hpp"
#include "grading/bench/test/example_bench.hpp"

// Tests of the table on the terminal and of the CSV file.
namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

BenchRow row(Contender contender, int n = 1024) {
  return example_row("03_shared_memory", "matmul_shared", 16, n, 1000, contender);
}

BenchRow problem_row(Contender contender, int n, const std::string& problem) {
  BenchRow result;
  result.stage = "03_shared_memory";
  result.function = "matmul_shared";
  result.block = n == 0 ? "" : "tile 16";
  result.contender = contender;
  result.n = n;
  result.problem = problem;
  return result;
}

BenchReport report_of(std::vector<BenchRow> rows) {
  BenchReport report;
  report.device = "gtx1080 (modelled)";
  report.inputs = "random, seed 17";
  report.rows = std::move(rows);
  return report;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::string line_with(const std::string& text, const std::string& part) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(part) != line.npos) return line;
  }
  return "";
}

TEST(BenchTable, FitsIntoAHundredColumns) {
  std::vector<BenchRow> rows;
  for (const Contender& contender :
       {Contender::student, Contender::solution, Contender::previous_stage, Contender::openblas}) {
    rows.push_back(row(contender, 16384));
    rows.back().limiter = "latency: too few warps";
    rows.back().gips_measured = true;
  }
  std::istringstream lines(bench_table(report_of(rows)));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(BenchTable, PutsContendersSideBySide) {
  BenchRow student = row(Contender::student), solution = row(Contender::solution);
  student.rate = 400;
  student.ms = 5.5;
  solution.rate = 1234.4;
  const std::string table = bench_table(report_of({student, solution}));
  EXPECT_THAT(table, AllOf(HasSubstr("03_shared_memory  matmul_shared  tile 16  GFLOPS (modelled)"),
                           HasSubstr("For gtx1080 (modelled); inputs: random, seed 17.")));
  EXPECT_THAT(line_with(table, "  1024 "),
              AllOf(HasSubstr("400.0"), HasSubstr(" 1234 "), HasSubstr("5.500")));
}

TEST(BenchTable, HeadsAKernelBesideAStageAsTheStageSays) {
  BenchReport report = report_of({row(Contender::solution), row(Contender::beside("old")),
                                  row(Contender::beside("of_nobody"))});
  report.beside = {{"old", "as was", "the kernel of old"}, {"unused", "unused", "not run"}};
  const std::string table = bench_table(report);
  EXPECT_THAT(table, AllOf(HasSubstr("as was"), HasSubstr("as was: the kernel of old.\n"),
                           HasSubstr("of_nobody"), Not(HasSubstr("unused"))));
}

TEST(BenchTable, MarksWhatIsWrong) {
  BenchRow student = row(Contender::student), solution = row(Contender::solution);
  student.right = false;
  student.rate = 400;
  const std::string table = bench_table(report_of({student, solution}));
  EXPECT_THAT(table, HasSubstr("400.0!"));
  EXPECT_THAT(table, HasSubstr("! student: the result is wrong (n = 1024)"));
  student.right.reset();
  EXPECT_THAT(bench_table(report_of({student, solution})), Not(HasSubstr("!")))
      << "nobody looked at it";
}

TEST(BenchTable, SaysOnceWhyAContenderIsMissing) {
  BenchRow other = problem_row(Contender::student, 0, "not written yet");
  other.function = "matmul_other";
  const std::string table = bench_table(
      report_of({problem_row(Contender::student, 0, "not written yet"), other,
                 row(Contender::solution), problem_row(Contender::previous_stage, 1024, "crashed"),
                 problem_row(Contender::previous_stage, 2048, "crashed")}));
  EXPECT_EQ(count(table, "03_shared_memory  ! student: not written yet"), 1u) << table;
  EXPECT_THAT(table, HasSubstr("! previous: crashed (n = 1024, 2048)"));
}

TEST(BenchTable, TellsMeasuredFromModelled) {
  BenchReport report = report_of({row(Contender::solution), row(Contender::cublas)});
  report.modelled = false;
  report.device = "NVIDIA H200";
  report.rows.front().gips = 12.5;
  report.rows.front().gips_measured = true;
  EXPECT_THAT(bench_table(report), AllOf(HasSubstr("GFLOPS (measured)"), HasSubstr("cuBLAS"),
                                         HasSubstr(" 12.50m "), HasSubstr("on NVIDIA H200")));
}

TEST(BenchTable, LeavesOutColumnsThatNobodyFills) {
  BenchRow transpose = row(Contender::solution);
  transpose.unit = "GB/s";
  transpose.cgma = transpose.cgma_by_formula = std::nullopt;
  const std::string table = bench_table(report_of({transpose}));
  EXPECT_EQ(line_with(table, "     n ").find("CGMA"), std::string::npos) << table;
}

TEST(BenchTable, ShowsWhatAProfilerWould) {
  BenchRow with = row(Contender::solution);
  with.speedup = 2.5;
  with.metrics = model::KernelMetrics{.achieved_occupancy_pct = 74.58,
                                      .sm_efficiency_pct = 95.44,
                                      .ipc = 2.52,
                                      .flop_count_sp = 137438953472,
                                      .l2_read_bytes = 20e9,
                                      .dram_read_bytes = 999.9e6,
                                      .flop_per_dram_byte = 45.6,
                                      .stall_memory_dependency_pct = 31,
                                      .stall_sync_pct = 42.4};
  const std::string table = bench_table(report_of({with}));
  EXPECT_THAT(table,
              AllOf(HasSubstr("  1024  2.500  74.6  95.4  2.52   137G  20.0G      0  1.00G"),
                    HasSubstr("45.60"), HasSubstr("sync 42%"), HasSubstr("achieved_occupancy")));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_THAT(bench_table(report_of({row(Contender::solution)})), Not(HasSubstr("occ'd")));
  EXPECT_THAT(line_with(bench_csv(report_of({with})), "tile 16"),
              HasSubstr(",2.5,74.58,95.44,2.52"));
}

TEST(BenchTable, SaysHowSureTheCpusMedianIs) {
  BenchRow cpu = row(Contender::openblas);
  const std::string measured = "measured, the median of several runs";
  EXPECT_THAT(bench_table(report_of({row(Contender::solution), cpu})), HasSubstr(measured + ".\n"));
  cpu.uncertainty_pct = 3.2;
  EXPECT_THAT(bench_table(report_of({row(Contender::solution), cpu})),
              HasSubstr(measured + ",\nwhich may be off by 4%.\n"));
}

TEST(BenchTable, HasAMeanBesideTheMedianWhereThatWasMeasured) {
  BenchRow timed = row(Contender::solution);
  timed.mean_ms = 4.25;
  EXPECT_THAT(bench_table(report_of({timed})),
              AllOf(HasSubstr("mean ms"), HasSubstr(" 4.250"), HasSubstr("ten timed as one")));
}

TEST(BenchTable, ShowsNoControlCharacters) {
  EXPECT_THAT(bench_table(report_of({problem_row(Contender::student, 8, "said \x1b[2J"), row({})})),
              Not(HasSubstr("\x1b")));
}

TEST(BenchCsv, HasALineForEachRow) {
  BenchRow wrong = row(Contender::student);
  wrong.right = false;
  wrong.occupancy->by_shared = model::unlimited;
  const std::string csv = bench_csv(
      report_of({wrong, problem_row(Contender::student, 0, "error: \"x\", line 2\nhere")}));
  EXPECT_THAT(csv, HasSubstr("stage,function,block,contender,n,call,device,modelled,"));
  EXPECT_THAT(line_with(csv, "tile 16"),
              AllOf(HasSubstr("03_shared_memory,matmul_shared,tile 16,student,1024,"),
                    HasSubstr("\"matmul_shared(n=1024, tile=16)\""), HasSubstr("GFLOPS,false"),
                    Not(HasSubstr("2147483647"))));
  EXPECT_THAT(csv, HasSubstr("student,,,gtx1080 (modelled),true,\"error: \"\"x\"\", line 2\nhere\","
                             ",,,,,,"));
}

TEST(BenchCsv, KnowsThatTheCpuIsMeasured) {
  EXPECT_THAT(line_with(bench_csv(report_of({row(Contender::openblas)})), "openblas"),
              HasSubstr("(modelled),false,"));
}

}  // namespace
}  // namespace tilewise::grading
