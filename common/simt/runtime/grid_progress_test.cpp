#include "common/simt/runtime/grid_progress.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilewise::simt {
namespace {

constexpr std::int64_t ms = 1'000'000;

struct Case {
  std::string name;
  std::vector<std::int64_t> block_ends;  // ms since the launch began
  std::int64_t asked;                    // ms since the launch began
  bool is_moving;
};

class GridProgressTest : public ::testing::TestWithParam<Case> {};

TEST_P(GridProgressTest, TellsASlowKernelFromAnEndlessOne) {
  constexpr std::int64_t start = 7'000 * ms;
  GridProgress progress;
  progress.start(10, start);
  for (const std::int64_t end : GetParam().block_ends) progress.note_block(start + end * ms);
  EXPECT_EQ(progress.done(), GetParam().block_ends.size());
  EXPECT_EQ(progress.is_moving(start + GetParam().asked * ms), GetParam().is_moving);
}

INSTANTIATE_TEST_SUITE_P(
    Launches, GridProgressTest,
    ::testing::Values(Case{"NoBlockCameToItsEnd", {}, 4'000, false},
                      Case{"BlocksTakeASecondEach", {1'000, 2'000, 3'000}, 4'000, true},
                      Case{"TheFourthBlockTakesTwiceAsLong", {1'000, 2'000, 3'000}, 5'000, true},
                      Case{"TheFourthBlockNeverEnds", {1'000, 2'000, 3'000}, 9'000, false},
                      Case{"QuickOnesThenOneThatNeverEnds", {1, 2, 3}, 4'000, false},
                      Case{"OneOfManyShortLaunches", {10}, 20, false}),
    [](const auto& test) { return test.param.name; });

TEST(GridProgress, BeginsAnewWithEachLaunch) {
  GridProgress progress;
  progress.start(2, 0);
  progress.note_block(600 * ms);
  ASSERT_TRUE(progress.is_moving(700 * ms));
  progress.start(5, 800 * ms);
  EXPECT_EQ(progress.done(), 0U);
  EXPECT_EQ(progress.blocks(), 5U);
  EXPECT_FALSE(progress.is_moving(1'500 * ms));
}

}  // namespace
}  // namespace tilewise::simt
