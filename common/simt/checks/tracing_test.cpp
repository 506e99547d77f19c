#include "common/simt/checks/tracing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tilewise::simt {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(BlocksToTrace, AreAllOfASmallGridAndTheEdgesOfALargeOne) {
  EXPECT_THAT(blocks_to_trace(dim3(1)), ElementsAre(0));
  EXPECT_THAT(blocks_to_trace(dim3(4, 4)), SizeIs(16));
  EXPECT_THAT(blocks_to_trace(dim3(2, 2, 4)), SizeIs(16));
  EXPECT_THAT(blocks_to_trace(dim3(17)), ElementsAre(0, 1, 16));
  EXPECT_THAT(blocks_to_trace(dim3(1, 100)), ElementsAre(0, 1, 99));
  EXPECT_THAT(blocks_to_trace(dim3(5, 6)), ElementsAre(0, 1, 4, 5, 6, 9, 25, 26, 29));
  EXPECT_THAT(blocks_to_trace(dim3(1, 1, 64)), ElementsAre(0));
}

TEST(BlocksToTrace, AreNeverMoreThanALaunchMayLeave) {
  for (unsigned x = 1; x < 40; ++x) {
    for (unsigned y = 1; y < 40; ++y) {
      const auto chosen = blocks_to_trace(dim3(x, y));
      EXPECT_LE(chosen.size(), most_traced_blocks);
      EXPECT_LT(*chosen.rbegin(), x * y);
    }
  }
}

}  // namespace
}  // namespace tilewise::simt
