#include "common/simt/runtime/split_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "common/simt/watch.hpp"

extern "C" {
void tilewise_simt_note_split_kernels(const tilewise::simt::SplitKernel* kernels,
                                      std::uint64_t count);
void tilewise_simt_forget_split_kernels(const tilewise::simt::SplitKernel* kernels);
}

namespace tilewise::simt {
namespace {

using testing::ElementsAre;

/// The rows that a kernel was called with: "x y z threads at".
std::vector<std::vector<std::uint32_t>> calls;

/// Comes to one barrier; rows with an odd y come to none.
std::uint32_t row(void*, const std::uint32_t*, std::byte*, std::uint32_t x, std::uint32_t y,
                  std::uint32_t z, std::uint32_t threads, std::uint32_t at) {
  calls.push_back({x, y, z, threads, at});
  return at == 0 && y % 2 == 0 ? 1 : row_has_returned;
}

/// Each row comes to a barrier of its own.
std::uint32_t parting_row(void*, const std::uint32_t*, std::byte*, std::uint32_t, std::uint32_t y,
                          std::uint32_t, std::uint32_t, std::uint32_t) {
  return y + 1;
}

void run_thread(void*) {}

constexpr SplitBarrier barriers[] = {{"rows.cu", 3}, {"rows.cu", 7}};
constexpr SplitKernel kernel = {run_thread, row, row, row, 4, barriers};
constexpr SplitKernel parting = {run_thread, parting_row, parting_row, parting_row, 4, barriers};

LaunchConfiguration of_blocks(dim3 block) {
  return {"rows", "rows.cu", 1, dim3(1), block, 0, nullptr};
}

TEST(SplitKernels, AreLookedAtInWholeProgramsAlone) {
  tilewise_simt_note_split_kernels(&kernel, 1);
  EXPECT_FALSE(split_kernel(run_thread));
  listen({.tell = [] {}});
  EXPECT_TRUE(split_kernel(run_thread));
  listen({});
  EXPECT_FALSE(split_kernel(run_thread));
  listen({.tell = [] {}});
  tilewise_simt_forget_split_kernels(&kernel);
  EXPECT_FALSE(split_kernel(run_thread)) << "their module is no longer there";
  listen({});
}

TEST(RowsOfBlock, GoFromBarrierToBarrierTogether) {
  RowsOfBlock rows;
  calls.clear();
  ASSERT_TRUE(rows.start_launch(of_blocks(dim3(27, 2)), {run_thread, nullptr, 0}, kernel));
  EXPECT_FALSE(rows.run({0, 0, 0}));
  using Call = std::vector<std::uint32_t>;
  EXPECT_THAT(calls, ElementsAre(Call{0, 0, 0, 16, 0}, Call{16, 0, 0, 8, 0}, Call{24, 0, 0, 3, 0},
                                 Call{0, 1, 0, 16, 0}, Call{16, 1, 0, 8, 0}, Call{24, 1, 0, 3, 0},
                                 Call{0, 0, 0, 16, 1}, Call{16, 0, 0, 8, 1}, Call{24, 0, 0, 3, 1}));
}

TEST(RowsOfBlock, AreLeftToFibersWhereTheyAreShort) {
  RowsOfBlock rows;
  EXPECT_FALSE(rows.start_launch(of_blocks(dim3(7, 32)), {run_thread, nullptr, 0}, kernel));
}

TEST(RowsOfBlock, WaitAtOneBarrier) {
  RowsOfBlock rows;
  ASSERT_TRUE(rows.start_launch(of_blocks(dim3(16, 2)), {run_thread, nullptr, 0}, parting));
  const std::optional<Finding> stuck = rows.run({0, 0, 0});
  ASSERT_TRUE(stuck);
  EXPECT_EQ(stuck->line, 7);
}

}  // namespace
}  // namespace tilewise::simt
