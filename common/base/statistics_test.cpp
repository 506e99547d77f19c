#include "common/base/statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <stdexcept>

namespace tilewise::core {
namespace {

TEST(Median, IsTheMiddleOneInAnyOrder) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({2, 1, 4}), 2);
  EXPECT_EQ(median({9, 1, 8, 2, 7}), 7);
  EXPECT_EQ(median({3, 3, 1}), 3);
}

TEST(Median, IsTheUpperOfTwo) { EXPECT_EQ(median({4, 1, 3, 2}), 3); }

TEST(MedianWithInterval, LeavesOutAsManyAsTheOrderStatisticsAllow) {
  const struct {
    int count;
    double low, median, high;
  } cases[] = {
      {1, 1, 1, 1}, {2, 1, 1.5, 2},   {5, 1, 3, 5},   {6, 1, 3.5, 6},    {8, 1, 4.5, 8},
      {9, 2, 5, 8}, {12, 3, 6.5, 10}, {15, 4, 8, 12}, {20, 6, 10.5, 15},
  };
  for (const auto& c : cases) {
    std::vector<double> values(c.count);
    std::iota(values.rbegin(), values.rend(), 1.0);  // in descending order
    const Interval interval = median_with_interval(values);
    EXPECT_EQ(interval.low, c.low) << c.count;
    EXPECT_EQ(interval.median, c.median) << c.count;
    EXPECT_EQ(interval.high, c.high) << c.count;
  }
  EXPECT_THROW(median_with_interval({}), std::logic_error);
}

TEST(MedianWithInterval, HoldsTheTrueMedianAsOftenAsPromised) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed;  // its median is 1
  int held = 0;
  constexpr int trials = 4000;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> values(9);
    for (double& value : values) value = skewed(random);
    const Interval interval = median_with_interval(values);
    held += interval.low <= 1 && 1 <= interval.high;
  }
  EXPECT_GE(held, 0.95 * trials);
}

TEST(InterleavedTiming, DoesNotMindADeviceThatSlowsDown) {
  InterleavedTiming timing;
  for (int round = 0; round < 8; ++round) {
    const double slowness = 1 + 0.2 * round;
    timing.add_round({2 * slowness, 2.02 * slowness, 9}, {1 * slowness, 1.01 * slowness, 5});
  }
  EXPECT_NEAR(timing.speed_of_reference().median, 0.5, 1e-9);
  EXPECT_TRUE(timing.steady());
  EXPECT_GT(timing.own_ms().relative_error(), 0.1);
}

TEST(InterleavedTiming, KnowsWhatIsBestForTheSubmission) {
  InterleavedTiming timing;
  timing.add_round({2}, {1});
  timing.add_round({1.5}, {0.9});
  timing.add_round({3}, {1.2});
  EXPECT_DOUBLE_EQ(timing.fastest_ms(), 1.5);
  EXPECT_DOUBLE_EQ(timing.reference_ms().median, 1);
  EXPECT_DOUBLE_EQ(timing.highest_speed_of_reference(), 1.2 / 1.5);
}

TEST(InterleavedTiming, IsSteadyOnceEnoughRoundsAgree) {
  const struct {
    const char* what;
    std::vector<double> own, reference;
    bool steady;
  } cases[] = {
      {"alike", {1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}, true},
      {"too few", {1, 1, 1, 1, 1}, {2, 2, 2, 2, 2}, false},
      {"without a reference", {1, 1, 1, 1, 1, 1}, {}, true},
      {"spread without a reference", {1, 1, 1, 1.1, 1, 1}, {}, false},
      {"one of six astray", {1, 1, 1.1, 1, 1, 1}, {2, 2, 2, 2, 2, 2}, false},
      {"one of nine astray", {1, 1, 1.1, 1, 1, 1, 1, 1, 1}, {2, 2, 2, 2, 2, 2, 2, 2, 2}, true},
  };
  for (const auto& c : cases) {
    InterleavedTiming timing;
    for (std::size_t i = 0; i < c.own.size(); ++i) {
      timing.add_round({c.own[i]},
                       c.reference.empty() ? std::vector<double>{} : std::vector{c.reference[i]});
    }
    EXPECT_EQ(timing.steady(), c.steady) << c.what;
    EXPECT_EQ(timing.has_reference(), !c.reference.empty()) << c.what;
  }
}

TEST(InterleavedTiming, IsDecidedOnceAFewRoundsAreFarOffTheLeastSpeed) {
  const struct {
    const char* what;
    std::vector<double> own, reference;
    bool decided;
  } cases[] = {
      {"far faster", {1, 1, 1}, {1, 1, 1}, true},
      {"too few", {1, 1}, {1, 1}, false},
      {"once not so much faster", {1, 1, 1.7}, {1, 1, 1}, false},
      {"far slower", {3, 3, 3}, {1, 1, 1}, true},
      {"far slower, but for the slowest turn of the reference", {3, 3, 3}, {1, 1.5, 1}, false},
      {"near the least speed", {2, 2, 2, 2}, {1, 1, 1, 1}, false},
      {"without a reference", {1, 1, 1}, {}, false},
  };
  for (const auto& c : cases) {
    InterleavedTiming timing;
    for (std::size_t i = 0; i < c.own.size(); ++i) {
      timing.add_round({c.own[i]},
                       c.reference.empty() ? std::vector<double>{} : std::vector{c.reference[i]});
    }
    EXPECT_EQ(timing.decided(0.5), c.decided) << c.what;
  }
}

}  // namespace
}  // namespace tilewise::core
