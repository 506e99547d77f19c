#include "grading/bench/contenders.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

using std::chrono::seconds;

TEST(Turns, EndOnceMediansAreSteady) {
  std::vector<std::size_t> order;
  const auto taken = take_turns(2, seconds(60), [&](std::size_t contender, int) {
    order.push_back(contender);
    return Turn{{contender == 0 ? 2.0 : 5.0}};
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(taken[0].ms, 2);
  EXPECT_EQ(taken[1].ms, 5);
}

TEST(Turns, GoOnWhileMediansAreNot) {
  int turns = 0;
  const auto taken = take_turns(1, seconds(60), [&](std::size_t, int round) {
    ++turns;
    return Turn{{1.0 + 0.1 * (round % 2)}};
  });
  EXPECT_EQ(turns, 20);
  EXPECT_GT(taken[0].ms, 0.9);
}

TEST(Turns, CountTheMedianOfEachRound) {
  const auto taken = take_turns(1, seconds(60), [&](std::size_t, int) {
    return Turn{{3.0, 1000.0, 2.0}};
  });
  EXPECT_EQ(taken[0].ms, 3);
}

TEST(Turns, EndWhenTheBudgetIsSpent) {
  int turns = 0;
  take_turns(1, seconds(0), [&](std::size_t, int) {
    ++turns;
    return Turn{{1.0}};
  });
  EXPECT_EQ(turns, 1);
}

TEST(Turns, GoOnWithoutAContenderThatFails) {
  int of_first = 0;
  const auto taken = take_turns(2, seconds(60), [&](std::size_t contender, int round) {
    if (contender == 1) return Turn{{4.0}};
    ++of_first;
    return round < 2 ? Turn{{1.0}} : Turn{{}, "it crashed"};
  });
  EXPECT_EQ(of_first, 3);
  EXPECT_EQ(taken[0].problem, "it crashed");
  EXPECT_EQ(taken[0].ms, 0) << "nothing of what it did before counts";
  EXPECT_EQ(taken[1].ms, 4);
}

}  // namespace
}  // namespace tilewise::grading
