#include "grading/profile/profile_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/process/sandbox.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A kernel with a strided load on line 2 and a coalesced store on line 3.
ProfileReport example_report() {
  KernelProfile kernel;
  kernel.launch = {"matmul_kernel<16>", {8, 4, 1}, {16, 16, 1}, 1024, "matmul.cu", 40};
  kernel.static_shared_bytes = 2048;
  kernel.blocks = 32;
  kernel.simulated_blocks = 3;
  simt::LineCounters load{"matmul.cu", 2, {}};
  load.counters.global_load_requests = 1'000;
  load.counters.global_load_sectors = 32'000;
  load.counters.global_load_bytes = 128'000;
  simt::LineCounters store{"matmul.cu", 3, {}};
  store.counters.global_store_requests = 50'000'000;
  store.counters.global_store_sectors = 200'000'000;
  store.counters.global_store_bytes = 6'400'000'000;
  store.counters.shared_load_requests = 70;
  store.counters.shared_load_wavefronts = 75;
  store.counters.shared_bank_conflicts = 5;
  kernel.lines = {load, store};
  kernel.footprint.load_sectors = 1'000;
  kernel.footprint.store_sectors = 100;
  kernel.counters = load.counters;
  add(kernel.counters, store.counters);
  ProfileReport report;
  report.stage = "03_shared_memory";
  report.call = "matmul_shared(n=64, tile=16)";
  report.gpu = core::gpu_profile("gtx1080");
  report.kernels = {kernel};
  report.launches = 1;
  return report;
}

TEST(ProfileDocument, HasTheNamesOfTheSchema) {
  const auto document = profile_document(example_report());
  EXPECT_EQ(document.at("schema"), "tilewise/profile/v1");
  EXPECT_EQ(document.at("gpu"), "gtx1080");
  EXPECT_EQ(document.at("call"), "matmul_shared(n=64, tile=16)");
  ASSERT_EQ(document.at("kernels").size(), 1u);
  const auto& kernel = document["kernels"][0];
  EXPECT_EQ(kernel.at("name"), "matmul_kernel<16>");
  EXPECT_EQ(kernel.at("grid"), (std::vector{8, 4, 1}));
  EXPECT_EQ(kernel.at("block"), (std::vector{16, 16, 1}));
  EXPECT_EQ(kernel.at("blocks"), 32);
  EXPECT_EQ(kernel.at("simulated_blocks"), 3);
  EXPECT_EQ(kernel.at("shared_bytes"), 3072);
  for (const char* counter :
       {"global_load_requests", "global_load_sectors", "global_store_requests",
        "global_store_sectors", "shared_load_requests", "shared_load_wavefronts",
        "shared_store_requests", "shared_store_wavefronts", "shared_bank_conflicts", "barriers",
        "global_load_efficiency_pct", "global_store_efficiency_pct"}) {
    EXPECT_TRUE(kernel.at("counters").contains(counter)) << counter;
    EXPECT_TRUE(kernel.at("lines")[0].at("counters").contains(counter)) << counter;
  }
  EXPECT_EQ(kernel["counters"]["global_load_sectors"], 32'000);
  EXPECT_EQ(kernel["counters"]["global_load_efficiency_pct"], 12.5);
  EXPECT_EQ(kernel["counters"]["global_store_efficiency_pct"], 100.0);
  EXPECT_EQ(kernel["lines"][1]["file"], "matmul.cu");
  EXPECT_EQ(kernel["lines"][1]["line"], 3);
  EXPECT_EQ(kernel["lines"][1]["counters"]["global_store_requests"], 50'000'000);
}

TEST(ProfileDocument, ModelsTimeAndOccupancy) {
  const auto modelled = profile_document(example_report())["kernels"][0].at("modelled");
  EXPECT_EQ(modelled.at("occupancy_pct"), 25.0) << "2 blocks of 8 warps on each of 20 SMs";
  EXPECT_EQ(modelled.at("occupancy_limiter"), "the grid's size");
  EXPECT_EQ(modelled.at("registers_per_thread"), 32);
  EXPECT_EQ(modelled.at("registers_from"), "estimate");
  EXPECT_GT(modelled.at("ms"), 0);
  EXPECT_EQ(modelled.at("limiter"), "L2 bandwidth") << "200 million sectors";
  EXPECT_TRUE(modelled.at("gflops").is_null()) << "a call that computes nothing";
  EXPECT_GT(modelled.at("gb_s"), 0);
  EXPECT_FALSE(modelled.at("parts").empty());
}

TEST(ProfileDocument, HasTheMetricsOfProfilers) {
  ProfileReport report = example_report();
  report.operations = 1e6;
  const auto metrics = profile_document(report)["kernels"][0].at("metrics");
  EXPECT_EQ(metrics.at("flop_count_sp").at("value"), 1e6);
  EXPECT_EQ(metrics["flop_count_sp"].at("from"), "worked out");
  EXPECT_EQ(metrics.at("l2_read_transactions").at("value"), 32'000);
  EXPECT_EQ(metrics.at("l2_write_bytes").at("value"), 6'400'000'000);
  EXPECT_EQ(metrics.at("achieved_occupancy").at("nsight_compute"),
            "sm__warps_active.avg.pct_of_peak_sustained_active");
  EXPECT_EQ(metrics["achieved_occupancy"].at("unit"), "%");
  const std::string table = profile_table(report, {});
  EXPECT_THAT(table, AllOf(HasSubstr("flop_count_sp                      1,000,000  worked out"),
                           HasSubstr("lts__t_sectors_op_read.sum"), HasSubstr("stall_"),
                           Not(HasSubstr("flop_count_dp"))));
  report.kernels[0].footprint = {};
  EXPECT_TRUE(profile_document(report)["kernels"][0].at("metrics").is_null());
}

TEST(ProfileTable, ShowsTotalsAndLinesWithTheirSource) {
  const SourceTexts sources = {{"matmul.cu", {"first", "  x = A[row * n];", "C[i] = As[k][0];"}}};
  const std::string table = profile_table(example_report(), sources);
  for (const char* part :
       {"matmul_shared(n=64, tile=16) on NVIDIA GeForce GTX 1080, simulated",
        "matmul_kernel<16>  grid 8x4, block 16x16, 3,072 bytes of shared memory a block",
        "counted in 3 of 32 blocks",
        "occupancy 25% (modelled; 32 registers a thread, estimated), limited by the grid's size",
        " GB/s (modelled), limited by: L2 bandwidth", "200,000,000", "matmul.cu:2",
        "x = A[row * n];", "matmul.cu:3", "50.0M", "200.0M", "C[i] = As[k][0];"}) {
    EXPECT_THAT(table, HasSubstr(part));
  }
}

TEST(ProfileTable, MarksTheWorstLineRightBelowIt) {
  ProfileReport report = example_report();
  report.kernels[0].lines[1].counters = {};
  const std::string table = profile_table(report, {{"matmul.cu", {"", "x = A[row * n];"}}});
  const std::size_t line = table.find("x = A[row * n];\n");
  ASSERT_NE(line, table.npos);
  EXPECT_THAT(table.substr(line, table.find('\n', table.find('^')) - line),
              HasSubstr("^ scattered: a request moves 32.0 sectors where 4.0 would do"));
}

TEST(ProfileTable, DoesWithoutSourcesLinesAndTheRestOfTheLaunches) {
  ProfileReport report = example_report();
  EXPECT_THAT(profile_table(report, {}), HasSubstr("matmul.cu:2"));
  EXPECT_THAT(profile_table(report, {{"matmul.cu", {"one line"}}}), HasSubstr("matmul.cu:3"));
  report.kernels[0].lines.clear();
  report.launches = 100;
  EXPECT_THAT(profile_table(report, {}),
              AllOf(Not(HasSubstr("matmul.cu:2")), HasSubstr("100 launches in all; the first 1")));
}

TEST(ProfileTable, LeavesOutWhatAKernelDoesNotDo) {
  ProfileReport report = example_report();
  EXPECT_THAT(profile_table(report, {}),
              AllOf(HasSubstr("shared loads"), HasSubstr("bank conflicts"),
                    Not(HasSubstr("shared stores")), Not(HasSubstr("barriers"))));
  report.kernels[0].counters = report.kernels[0].lines[0].counters;
  EXPECT_THAT(profile_table(report, {}),
              AllOf(HasSubstr("global loads"), Not(HasSubstr("global stores")),
                    Not(HasSubstr("bank conflicts"))));
}

TEST(ProfileTable, HasMeansOverTheLaunchesOfAKernel) {
  ProfileReport report = example_report();
  EXPECT_THAT(profile_table(report, {}), Not(HasSubstr("means"))) << "one launch is its own mean";
  report.kernels.push_back(report.kernels[0]);
  report.kernels.push_back(report.kernels[0]);
  // 12.5% used in the first launch, a third of that in the second.
  report.kernels[1].counters.global_load_sectors *= 3;
  report.kernels[2].launch.kernel = "another";
  report.launches = 3;
  EXPECT_THAT(profile_table(report, {}), HasSubstr("launches           ms  occupancy  loads used"));
  EXPECT_THAT(profile_table(report, {}), HasSubstr("8.3%      100.0%"));
  EXPECT_THAT(profile_table(report, {}), HasSubstr("%  matmul_kernel<16>\n"));
  EXPECT_THAT(profile_table(report, {}), HasSubstr("stores used  achieved  shared\n"));
  EXPECT_THAT(profile_table(report, {}), Not(HasSubstr("%  another")));
}

TEST(ProfileReport, TellsHowManyPartitionsAreBusyWhereThatIsKnown) {
  ProfileReport report = example_report();
  EXPECT_THAT(profile_table(report, {}), Not(HasSubstr("partitions")));
  EXPECT_FALSE(profile_document(report)["kernels"][0]["modelled"].contains("partitions_busy"));
  report.gpu = core::gpu_profile("gtx280");
  // Each SM holds two blocks. Their loads are even over the partitions, and their stores go to two
  // partitions.
  report.kernels[0].partitions_by_run.assign(
      60, {.loads = {1, 1, 1, 1, 1, 1, 1, 1}, .stores = {0, 0, 8, 8, 0, 0, 0, 0}});
  EXPECT_THAT(profile_table(report, {}),
              HasSubstr("of 8 DRAM partitions, 60 blocks at a time keep 8.0 busy with loads, 2.0 "
                        "with stores (modelled)"));
  const auto busy = profile_document(report)["kernels"][0]["modelled"].at("partitions_busy");
  EXPECT_EQ(busy.at("blocks_at_a_time"), 60);
  EXPECT_EQ(busy.at("loads"), 8.0);
  EXPECT_EQ(busy.at("stores"), 2.0);
}

TEST(ProfileTable, SaysWhenEveryBlockWasCounted) {
  ProfileReport report = example_report();
  report.kernels[0].simulated_blocks = 32;
  EXPECT_THAT(profile_table(report, {}), HasSubstr("counted in every block"));
}

TEST(ProfileTable, ShowsNoControlCharacters) {
  ProfileReport report = example_report();
  report.kernels[0].launch.kernel = "k\033[2J";
  EXPECT_THAT(profile_table(report, {}), Not(HasSubstr("\033")));
}

TEST(CompiledKernelsFile, GivesBackWhatWasWritten) {
  const ScratchDirectory scratch;
  const auto file = scratch.path() / "kernels.json";
  write_compiled_kernels(
      file, {.submission = {{"a \xff", 2048, 32}, {"b", 0, 255}}, .reference = {{"c", 1, 40}}});
  const CompiledKernels kernels = read_compiled_kernels(file);
  ASSERT_EQ(kernels.submission.size(), 2u);
  EXPECT_EQ(kernels.submission[0].static_shared_bytes, 2048u);
  EXPECT_EQ(kernels.submission[1].name, "b");
  EXPECT_EQ(kernels.submission[1].registers_per_thread, 255);
  ASSERT_EQ(kernels.reference.size(), 1u);
  EXPECT_EQ(kernels.reference[0].name, "c");
}

TEST(CompiledKernelsFile, SaysWhatIsWrong) {
  const ScratchDirectory scratch;
  const auto file = scratch.path() / "kernels.json";
  EXPECT_THROW(read_compiled_kernels(file), std::runtime_error);
  std::ofstream(file) << R"({"submission": 1})";
  EXPECT_THROW(read_compiled_kernels(file), std::runtime_error);
  EXPECT_THROW(write_compiled_kernels(scratch.path() / "no" / "folder", {}), std::runtime_error);
}

}  // namespace
}  // namespace tilewise::grading
