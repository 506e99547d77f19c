#include "common/core/median.hpp"

#include <gtest/gtest.h>

namespace tilewise::core {
namespace {

TEST(Median, IsTheMiddleOneInAnyOrder) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({2, 1, 4}), 2);
  EXPECT_EQ(median({9, 1, 8, 2, 7}), 7);
  EXPECT_EQ(median({3, 3, 1}), 3);
}

TEST(Median, IsTheUpperOfTwo) { EXPECT_EQ(median({4, 1, 3, 2}), 3); }

}  // namespace
}  // namespace tilewise::core
