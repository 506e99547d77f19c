#include "grading/bench/bench_figures.hpp"

#include <gtest/gtest.h>

#include "grading/stages/stage_contracts.hpp"

namespace tilewise::grading {
namespace {

NamedCall matmul() {
  return read_call("matmul_shared(n=100, tile=16)", contracts_of("03_shared_memory"));
}

KernelProfile kernel(std::uint64_t loaded_elements) {
  KernelProfile kernel;
  kernel.launch = {"k", {7, 7, 1}, {16, 16, 1}, 0, "", 0};
  kernel.static_shared_bytes = 2048;
  kernel.blocks = kernel.simulated_blocks = 49;
  kernel.counters.global_load_requests = loaded_elements / 32;
  kernel.counters.global_load_lane_bytes = 4 * loaded_elements;
  kernel.counters.global_load_bytes = loaded_elements;  // several lanes load much of it
  kernel.counters.global_store_lane_bytes = 4 * 10'000;
  return kernel;
}

ProfileReport profile_of(std::vector<KernelProfile> kernels) {
  const int launches = static_cast<int>(kernels.size());
  return {"03_shared_memory",
          "call",
          core::gpu_profile("gtx1080"),
          std::move(kernels),
          launches,
          2e6,
          false};
}

TEST(BenchFigures, RatesCountOperationsOrBytes) {
  BenchRow row;
  set_time(row, matmul(), 0.5);
  EXPECT_DOUBLE_EQ(row.rate, 2e6 / 0.5e6);
  EXPECT_EQ(row.unit, "GFLOPS");
  set_time(row, read_call("transpose_naive(rows=100, cols=200)", contracts_of("07_transpose")),
           0.5);
  EXPECT_DOUBLE_EQ(row.rate, 2 * 80'000 / 0.5e6);
  EXPECT_EQ(row.unit, "GB/s");
}

TEST(BenchFigures, CgmaCountsWhatEachThreadAsksFor) {
  BenchRow row;
  set_counts(row, matmul(), profile_of({kernel(90'000), kernel(100'000)}));
  EXPECT_EQ(row.counted->loads, 190'000);
  EXPECT_EQ(row.counted->stores, 20'000);
  EXPECT_DOUBLE_EQ(*row.cgma, 2e6 / 210'000);
}

TEST(BenchFigures, OccupancyIsThatOfTheMainKernel) {
  KernelProfile small = kernel(32), large = kernel(1'000'000);
  small.launch.block = {32, 1, 1};
  BenchRow row;
  set_counts(row, matmul(), profile_of({small, large}));
  EXPECT_EQ(row.occupancy->threads_per_block, 256);
  EXPECT_EQ(row.occupancy->shared_bytes_per_block, 2048u);
  EXPECT_FALSE(row.occupancy->registers_from_nvcc);
  EXPECT_GT(row.occupancy->percent, 0);
}

TEST(BenchFigures, FormulasAreTheCases) {
  BenchCase tiled;
  tiled.tiling = model::Tiling{16, 1, 1};
  BenchRow row;
  row.n = 100;
  set_formula(row, tiled, matmul());
  EXPECT_EQ(row.by_formula->loads, 100.0 * 100 * (7 + 7));
  EXPECT_DOUBLE_EQ(*row.cgma_by_formula, 2e6 / 150'000);
  BenchRow none;
  none.n = 100;
  set_formula(none, BenchCase{}, matmul());
  EXPECT_FALSE(none.by_formula);
}

// As in course2025, speed-ups are relative to one result per thread with the same tile and order.
TEST(BenchFigures, SpeedUpsAreOverOneResult) {
  std::vector<BenchCase> cases;
  std::vector<BenchRow> rows;
  for (const char* block : {"tile 16, 1 results", "tile 16, 4 results", "tile 32, 4 results"}) {
    BenchCase one{
        .stage = "06_work_rx_ry", .function = "matmul_strided", .block = block, .call_of_n = {}};
    one.one_result = std::string(block).substr(0, 7) + ", 1 results";
    cases.push_back(one);
    for (const Contender& contender :
         {Contender::student, Contender::solution, Contender::cublas}) {
      BenchRow row;
      row.function = one.function;
      row.block = block;
      row.contender = contender;
      row.n = 1024;
      row.ms = contender == Contender::student ? 4.0 : 2.0;
      if (one.block != one.one_result) row.ms /= 2.5;
      row.rate = 1;
      rows.push_back(row);
    }
  }
  rows[5].n = 2048;
  set_speedups(rows, cases);
  EXPECT_EQ(rows[0].speedup, 1);
  EXPECT_EQ(rows[3].speedup, 2.5);
  EXPECT_EQ(rows[4].speedup, 2.5);
  for (const std::size_t none : {2, 5, 6, 7, 8}) EXPECT_FALSE(rows[none].speedup) << none;
}

TEST(BenchFigures, SayWhyThereIsNoTime) {
  const auto row_of = [](const ProfileReport& profile) {
    BenchRow row;
    set_why_no_time(row, profile);
    return row;
  };
  KernelProfile large = kernel(32);
  large.static_shared_bytes = 1 << 20;
  const BenchRow impossible = row_of(profile_of({large}));
  EXPECT_TRUE(impossible.problem.starts_with("cannot run there: ")) << impossible.problem;
  EXPECT_FALSE(impossible.excused);
  ProfileReport profile = profile_of({kernel(32)});
  profile.launches = 127;
  const BenchRow many = row_of(profile);
  EXPECT_EQ(many.problem, "it launches 127 kernels, too many to model");
  EXPECT_TRUE(many.excused);
  EXPECT_TRUE(row_of(profile_of({kernel(32)})).excused);
}

TEST(InstructionLog, HasACountForEachKernel) {
  const char* log =
      "==PROF== Connected to process 4711 (/lab/bin/tilewise-worker-cuda)\n"
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\","
      "\"Metric Value\"\n"
      "\"0\",\"4711\",\"void k<16, 4>(const float *, int)\",\"Command line profiler metrics\","
      "\"smsp__inst_executed.sum\",\"inst\",\"1,234,567\"\n"
      "\"1\",\"4711\",\"other(int)\",\"Command line profiler metrics\","
      "\"smsp__cycles.sum\",\"cycle\",\"5\"\n"
      "\"1\",\"4711\",\"other(int)\",\"Command line profiler metrics\","
      "\"smsp__inst_executed.sum\",\"inst\",\"96\"\r\n"
      "==PROF== Disconnected from process 4711\n";
  EXPECT_EQ(instructions_in(log), (std::vector<double>{1234567, 96}));
}

TEST(InstructionLog, HasNoneWhereCountersMayNotBeRead) {
  EXPECT_TRUE(instructions_in("").empty());
  EXPECT_TRUE(instructions_in("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to "
                              "access NVIDIA GPU Performance Counters\n")
                  .empty());
  EXPECT_TRUE(
      instructions_in("\"Metric Name\",\"Metric Value\"\n\"smsp__inst_executed.sum\"\n").empty())
      << "a line that was cut";
}

}  // namespace
}  // namespace tilewise::grading
