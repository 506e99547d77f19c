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

}  // namespace
}  // namespace tilewise::simt
