#include "common/simt/runtime/device.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "common/simt/simt.hpp"

namespace tilewise::simt {
namespace {

using ::testing::ElementsAre;

class FindingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(take_findings());
    findings_.start_launch();
  }

  static Finding on_line(int line, std::string message = "", const char* kind = "race",
                         int other_line = 0) {
    return {.kind = kind,
            .message = std::move(message),
            .file = "x.cu",
            .line = line,
            .other_file = "x.cu",
            .other_line = other_line};
  }

  std::vector<std::string> told() {
    findings_.finish_launch();
    std::vector<std::string> messages;
    for (const Finding& found : take_findings()) messages.push_back(found.message);
    return messages;
  }

  Findings& findings_ = Findings::instance();
};

// Blocks run on several threads, so a block with a higher number may reach a place first.
TEST_F(FindingsTest, TellWhatTheLowestBlockDid) {
  findings_.add(on_line(7, "block 5"), 5);
  findings_.add(on_line(7, "block 9"), 9);
  findings_.add(on_line(7, "block 2"), 2);
  findings_.add(on_line(7, "block 2 again"), 2);
  EXPECT_THAT(told(), ElementsAre("block 2"));
}

TEST_F(FindingsTest, AreToldInTheOrderOfTheBlocks) {
  findings_.add(on_line(1, "line 1 of block 8"), 8);
  findings_.add(on_line(2, "line 2 of block 3"), 3);
  findings_.add(on_line(3, "line 3 of block 5"), 5);
  findings_.add(on_line(1, "line 1 of block 4"), 4);
  findings_.add(on_line(4, "line 4 of block 3"), 3);
  EXPECT_THAT(told(), ElementsAre("line 2 of block 3", "line 4 of block 3", "line 1 of block 4",
                                  "line 3 of block 5"));
}

// Faults of one warp between two barriers come in the compiler's order.
TEST_F(FindingsTest, OfOneWarpAreToldInTheOrderOfTheSource) {
  findings_.add(on_line(9, "line 9"), 0, 1);
  findings_.add(on_line(4, "line 4"), 0, 1);
  findings_.add(on_line(2, "another warp's line 2"), 0, 2);
  EXPECT_THAT(told(), ElementsAre("line 4", "line 9", "another warp's line 2"));
}

TEST_F(FindingsTest, KnowASiteOnceABlockAsLowHasComeToIt) {
  EXPECT_FALSE(findings_.knows("race", 1, 2, 5));
  EXPECT_TRUE(findings_.knows("race", 1, 2, 5));
  EXPECT_TRUE(findings_.knows("race", 1, 2, 6));
  EXPECT_FALSE(findings_.knows("race", 1, 2, 4));
  EXPECT_FALSE(findings_.knows("race", 2, 1, 5));
  EXPECT_FALSE(findings_.knows("warp-race", 1, 2, 5));
}

TEST_F(FindingsTest, NameTheTwoLinesOfARaceInEitherOrderOnce) {
  findings_.add(on_line(3, "3 after 8", "race", 8), 1);
  findings_.add(on_line(8, "8 after 3", "race", 3), 0);
  EXPECT_THAT(told(), ElementsAre("8 after 3"));
}

TEST_F(FindingsTest, LeaveOutARaceOfAWarpWhereOtherWarpsRaceAsWell) {
  findings_.add(on_line(3, "in a warp", "warp-race", 8), 0);
  findings_.add(on_line(5, "in a warp only", "warp-race", 6), 0);
  findings_.add(on_line(8, "of two warps", "race", 3), 1);
  EXPECT_THAT(told(), ElementsAre("in a warp only", "of two warps"));
}

TEST_F(FindingsTest, AreNoMoreThanAScreenful) {
  for (int line = 1; line <= 40; ++line) findings_.add(on_line(line, "another"), 0);
  EXPECT_EQ(told().size(), 16u);
  EXPECT_TRUE(told().empty());
}

}  // namespace
}  // namespace tilewise::simt
