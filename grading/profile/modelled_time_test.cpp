#include "grading/profile/modelled_time.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

/// Returns the profile of a product of order 1024 like that of stage 3, with this number of results
/// per thread.
ProfileReport product(int results) {
  constexpr std::uint64_t n = 1024;
  KernelProfile kernel;
  kernel.launch = {"matmul_kernel<16>", {64, 64, 1}, {16, 16, 1}, 0, "matmul.cu", 40};
  kernel.static_shared_bytes = 2048;
  kernel.blocks = 64 * 64;
  kernel.counters.global_load_requests = 2 * n * n / 32 * n / 16;
  kernel.counters.global_load_sectors = 4 * kernel.counters.global_load_requests;
  kernel.counters.global_store_bytes = 4 * n * n * static_cast<std::uint64_t>(results);
  kernel.counters.shared_load_requests_merged = 2 * n * n * n / 32;
  kernel.counters.shared_load_wavefronts_merged = 2 * n * n * n / 32;
  kernel.counters.barriers = 2 * n * n / 32 * n / 16;
  kernel.footprint = {.load_sectors = 4096,
                      .shared_along_x = 2048,
                      .shared_along_y = 2048,
                      .store_sectors = 32,
                      .store_bytes = 16 * 16 * 4 * static_cast<std::uint64_t>(results),
                      .load_lines = 2048,
                      .store_lines = 16,
                      .load_intervals = 512,
                      .waiting_intervals = 512};
  ProfileReport report;
  report.gpu = core::gpu_profile("gtx1080");
  report.operations = 2.0 * n * n * n;
  report.kernels = {kernel};
  report.launches = 1;
  return report;
}

TEST(ModelledTime, EstimatesRegistersFromTheResultsOfAThread) {
  const struct {
    int results;
    int registers;
  } cases[] = {{1, 32}, {4, 32}, {6, 40}, {16, 56}, {30, 88}, {36, 96}, {64, 152}, {500, 255}};
  for (const auto& [results, registers] : cases) {
    const ProfileReport report = product(results);
    const Registers estimate = registers_of(report.kernels[0], report);
    EXPECT_EQ(estimate.per_thread, registers) << results;
    EXPECT_FALSE(estimate.from_nvcc);
  }
}

TEST(ModelledTime, EstimatesFewerRegistersForOldGpus) {
  const struct {
    int results, registers;
  } cases[] = {{1, 14}, {4, 32}};  // put2014 has 10 to 14 registers, and 23 to 34
  for (const auto& [results, registers] : cases) {
    ProfileReport report = product(results);
    report.gpu = core::gpu_profile("gt240");
    EXPECT_EQ(registers_of(report.kernels[0], report).per_thread, registers);
  }
}

TEST(ModelledTime, EstimatesNoMoreRegistersThanABlockCanHave) {
  ProfileReport report = product(64);
  report.kernels[0].launch.block = {32, 32, 1};
  EXPECT_LE(registers_of(report.kernels[0], report).per_thread, 64);
}

TEST(ModelledTime, TakesTheRegistersOfNvccWhereTheyAreKnown) {
  ProfileReport report = product(1);
  report.compiled = {{"another", 2048, 32},
                     {"matmul_kernel", 512, 32},
                     {"matmul_kernel", 2048, 200},
                     {"matmul_kernel", 2048, 255}};
  const Registers registers = registers_of(report.kernels[0], report);
  EXPECT_EQ(registers.per_thread, 200);
  EXPECT_TRUE(registers.from_nvcc);
  EXPECT_GT(modelled_time(report.kernels[0], report)->ms,
            modelled_time(product(1).kernels[0], product(1))->ms)
      << "fewer warps hide less";
}

TEST(ModelledTime, HasARateWhereOneKernelDoesAllTheWork) {
  ProfileReport report = product(1);
  const auto time = modelled_time(report.kernels[0], report);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->gflops, report.operations / time->ms * 1e-6, 1e-6);
  report.launches = 2;
  EXPECT_EQ(modelled_time(report.kernels[0], report)->gflops, 0);
}

TEST(ModelledTime, IsNoneWhereMemoryWasNotCountedOrTheLaunchCannotRun) {
  ProfileReport report = product(1);
  report.kernels[0].footprint = {};
  EXPECT_FALSE(modelled_time(report.kernels[0], report));
  report = product(1);
  report.kernels[0].launch.block = {64, 64, 64};
  EXPECT_FALSE(modelled_time(report.kernels[0], report));
}

TEST(ModelledTime, SeesThePartitionThatBlocksWantTogether) {
  ProfileReport report = product(1);
  KernelProfile& kernel = report.kernels[0];
  EXPECT_EQ(work_of(kernel, report).partition_imbalance, 1);
  // The GPU holds 160 blocks at a time. The first 160 all want one partition, and the next all want
  // another.
  constexpr std::size_t held = 160;
  kernel.partitions_by_run.assign(held, {.loads = {8}, .stores = {}});
  kernel.partitions_by_run.resize(2 * held, {.loads = {0, 8}, .stores = {}});
  EXPECT_EQ(work_of(kernel, report).partition_imbalance, 8);
  // Stores to another partition run at the same time as the loads.
  for (simt::PartitionBytes& run : kernel.partitions_by_run) run.stores = {0, 0, 8};
  EXPECT_EQ(work_of(kernel, report).partition_imbalance, 4);
  kernel.partitions_by_run.assign(held, {.loads = {1, 1, 1, 1, 1, 1, 1, 1}, .stores = {}});
  EXPECT_EQ(work_of(kernel, report).partition_imbalance, 1);
}

TEST(ModelledTime, SpillsWhatHasNoRegister) {
  // A thread has at most 255 registers. put2025 counted 28 spilled words per step for 256 results,
  // and all words for 576.
  const struct {
    int results;
    double words;
  } cases[] = {{64, 0}, {196, 0}, {256, 33}, {576, 576}};
  for (const auto& [results, words] : cases) {
    ProfileReport report = product(results);
    EXPECT_EQ(work_of(report.kernels[0], report).spilled_words, words) << results;
    // A thread that computes its results one after another holds one at a time.
    report.kernels[0].footprint.store_rounds = 8 * static_cast<std::uint64_t>(results);
    EXPECT_EQ(work_of(report.kernels[0], report).spilled_words, 0) << results;
  }
  ProfileReport report = product(256);
  report.compiled = {{"matmul_kernel", 2048, 255, 0}};
  EXPECT_EQ(work_of(report.kernels[0], report).spilled_words, 0) << "nvcc spilled nothing";
  report.compiled[0].local_bytes_per_thread = 312;
  EXPECT_EQ(work_of(report.kernels[0], report).spilled_words, 33);
}

TEST(ModelledCall, IsItsKernelIfThereIsOne) {
  const ProfileReport report = product(1);
  const auto kernel = modelled_time(report.kernels[0], report);
  const auto call = modelled_call(report);
  ASSERT_TRUE(call);
  EXPECT_DOUBLE_EQ(call->ms, kernel->ms);
  EXPECT_DOUBLE_EQ(call->gflops, kernel->gflops);
  EXPECT_DOUBLE_EQ(call->gb_s, kernel->gb_s);
  EXPECT_DOUBLE_EQ(call->gips, kernel->warp_instructions / kernel->ms * 1e-6);
  EXPECT_EQ(call->limiter, kernel->limiter);
}

TEST(ModelledCall, AddsUpItsKernels) {
  ProfileReport report = product(1);
  report.operations = 0;
  const double once = modelled_call(report)->ms;
  report.kernels.push_back(report.kernels[0]);
  report.launches = 2;
  EXPECT_DOUBLE_EQ(modelled_call(report)->ms, 2 * once);
}

TEST(ModelledCall, TakesAsLongAsItsArithmetic) {
  ProfileReport report = product(1);
  report.kernels.push_back(report.kernels[0]);
  report.launches = 2;
  const double ms = modelled_call(report)->ms;
  report.operations = 8.87e12;  // one second of 20 SMs x 128 lanes x 1.733 GHz
  const auto call = modelled_call(report);
  EXPECT_GT(call->ms, ms);
  EXPECT_NEAR(call->ms, 1000, 1);
  EXPECT_NEAR(call->gflops, 8870, 9);
  EXPECT_EQ(call->limiter, "FP32 arithmetic");
}

TEST(ModelledCall, IsNotKnownWhereAKernelIsNot) {
  ProfileReport cut = product(1);
  cut.launches = 2;
  ProfileReport uncounted = product(1);
  uncounted.kernels[0].footprint = {};
  ProfileReport nothing = product(1);
  nothing.kernels.clear();
  nothing.launches = 0;
  ProfileReport impossible = product(1);
  impossible.kernels.push_back(impossible.kernels[0]);
  impossible.launches = 2;
  impossible.double_precision = true;
  impossible.gpu = core::gpu_profile("gt240");
  for (const ProfileReport& report : {cut, uncounted, nothing, impossible}) {
    EXPECT_FALSE(modelled_call(report));
  }
}

}  // namespace
}  // namespace tilewise::grading
