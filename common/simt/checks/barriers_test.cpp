#include "common/simt/checks/barriers.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace tilewise::simt {
namespace {

using ::testing::HasSubstr;

constexpr WaitingThread at_line_3 = {{1, 0, 0}, "__syncthreads()", {"x.cu", 3}};
constexpr WaitingThread at_line_5 = {{9, 2, 0}, "__shfl_sync()", {"x.cu", 5}};

TEST(Barriers, SayWhyABlockCannotGoOn) {
  const WaitingThread both[] = {at_line_3, at_line_5};
  using enum StuckBlock::Why;
  const struct {
    StuckBlock stuck;
    const char* kind;
    std::vector<const char*> parts;
  } cases[] = {
      {{.why = divided, .block = {0, 4, 0}, .threads = both},
       "barrier",
       {"thread (1, 0, 0) of block (0, 4, 0) came to __syncthreads() on line 3",
        "while thread (9, 2, 0) waits at __shfl_sync() on line 5", "move it out of the branch"}},
      {{.why = deadlocked, .block = {}, .threads = both},
       "deadlock",
       {"no thread of block (0, 0, 0) can go on: thread (1, 0, 0) waits at __syncthreads() on line "
        "3, thread (9, 2, 0) waits at __shfl_sync() on line 5;"}},
      {{.why = outside_mask, .block = {}, .threads = {both, 1}, .mask = 0xff00, .lane = 1},
       "warp",
       {"with mask 0x0000ff00, which leaves out its own lane 1"}},
      {{.why = masks_disagree, .block = {}, .threads = both, .mask = 0xff, .other_mask = 0xfff},
       "warp",
       {"with mask 0x000000ff, while lanes of its warp wait in __shfl_sync() on line 5 with mask "
        "0x00000fff"}},
  };
  for (const auto& c : cases) {
    const auto said = Barriers().stuck(c.stuck);
    ASSERT_TRUE(said);
    EXPECT_EQ(said->kind, c.kind);
    EXPECT_EQ(said->line, 3);
    EXPECT_EQ(said->place->thread[0], 1u);
    EXPECT_EQ(said->place->block[1], c.stuck.block.y);
    for (const char* part : c.parts) EXPECT_THAT(said->message, HasSubstr(part));
  }
}

TEST(Barriers, SayWhoHasSkippedOne) {
  const auto said = Barriers().skipped({{0, 4, 0}, {7, 0, 0}, at_line_3});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->kind, "barrier");
  EXPECT_EQ(said->line, 3);
  EXPECT_EQ(said->place->thread[0], 7u);
  EXPECT_THAT(said->message,
              HasSubstr("thread (7, 0, 0) of block (0, 4, 0) came to the end of the kernel without "
                        "the __syncthreads() on line 3, to which thread (1, 0, 0) came"));
}

TEST(Barriers, SayWhyAShuffleGetsNothing) {
  using enum ShuffleFromNowhere::Source;
  const struct {
    ShuffleFromNowhere::Source source;
    const char* part;
  } cases[] = {{outside_mask, "lane 12, which the mask does not name: what it gets is undefined"},
               {has_returned, "lane 12, which has returned"},
               {not_there, "lane 12, which the block does not have"}};
  for (const auto& c : cases) {
    const auto said = Barriers().shuffled({c.source, {0, 4, 0}, at_line_5, 0xff, 12, false});
    ASSERT_TRUE(said);
    EXPECT_EQ(said->kind, "warp");
    EXPECT_EQ(said->line, 5);
    EXPECT_THAT(said->message, HasSubstr("thread (9, 2, 0) of block (0, 4, 0) calls __shfl_sync() "
                                         "on line 5 with mask 0x000000ff"));
    EXPECT_THAT(said->message, HasSubstr(c.part));
  }
}

TEST(Barriers, SayWhichLaneIsMissingWhereAllAreNeeded) {
  const auto said = Barriers().shuffled(
      {ShuffleFromNowhere::Source::has_returned, {0, 4, 0}, at_line_5, ~0u, 12, true});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->kind, "warp");
  EXPECT_THAT(said->message, HasSubstr("on line 5 without lane 12, which has returned: all 32 "));
}

}  // namespace
}  // namespace tilewise::simt
