#include <gtest/gtest.h>

#include "common/simt/recorder/shadow.hpp"

namespace tilewise::simt {
namespace {

class MomentsOfABlock : public testing::Test {
 protected:
  void SetUp() override { moments_.start_block(2); }
  Moments moments_;
};

TEST_F(MomentsOfABlock, OrderNothingBetweenThreads) {
  const Tag access = moments_.tag(3);
  EXPECT_TRUE(moments_.concurrent(access, 4));
  EXPECT_TRUE(moments_.concurrent(access, 40));
}

TEST_F(MomentsOfABlock, OrderAThreadsOwnAccesses) {
  EXPECT_FALSE(moments_.concurrent(moments_.tag(3), 3));
}

TEST_F(MomentsOfABlock, OrderAllThreadsAtABarrier) {
  const Tag access = moments_.tag(3);
  moments_.pass_barrier();
  EXPECT_FALSE(moments_.concurrent(access, 4));
  EXPECT_FALSE(moments_.concurrent(access, 40));
  EXPECT_TRUE(moments_.concurrent(moments_.tag(3), 4));
}

TEST_F(MomentsOfABlock, OrderTheLanesOfAMask) {
  const Tag access = moments_.tag(3);
  moments_.sync_lanes(0, 0b11000);
  EXPECT_FALSE(moments_.concurrent(access, 4));
  EXPECT_TRUE(moments_.concurrent(access, 5));
  EXPECT_TRUE(moments_.concurrent(access, 32 + 4));
  EXPECT_TRUE(moments_.concurrent(moments_.tag(3), 4)) << "what comes later is not ordered";
}

TEST_F(MomentsOfABlock, HandOnWhatALaneHasSeen) {
  const Tag access = moments_.tag(3);
  moments_.sync_lanes(0, 0b0011000);
  moments_.sync_lanes(0, 0b0110000);
  EXPECT_FALSE(moments_.concurrent(access, 5));
  EXPECT_TRUE(moments_.concurrent(access, 6));
}

TEST_F(MomentsOfABlock, ForgetTheBlockBefore) {
  const Tag access = moments_.tag(3);
  moments_.sync_lanes(0, ~0u);
  EXPECT_FALSE(moments_.start_block(2));
  EXPECT_LT(access, moments_.block_first());
  EXPECT_FALSE(moments_.concurrent(access, 4));
  EXPECT_TRUE(moments_.concurrent(moments_.tag(3), 4));
}

TEST_F(MomentsOfABlock, SayWhenTheirNumbersRunOut) {
  for (int i = 0; i < 5'000'000; ++i) moments_.pass_barrier();
  EXPECT_TRUE(moments_.start_block(2));
  EXPECT_FALSE(moments_.start_block(2));
}

}  // namespace
}  // namespace tilewise::simt
