#include "grading/cli/gpu_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "grading/cli/stage_choice.hpp"

namespace tilewise::grading {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TEST(GpuLoads, AreReadFromWhatNvidiaSmiPrints) {
  EXPECT_THAT(parse_gpu_loads("0, GPU-aa, 97, 40312\n1, GPU-bb, [N/A], 4\n",
                              "GPU-aa, 4711\nGPU-aa, 4712\nGPU-cc, 1\n"),
              ElementsAre(GpuLoad{0, "GPU-aa", 2, 97, 40312}, GpuLoad{1, "GPU-bb", 0, 0, 4}));
}

TEST(GpuLoads, LeaveOutWhatIsNotUnderstood) {
  for (const char* text : {"", "\n\n", "No devices were found\n", "x, GPU-aa, 1, 2\n",
                           "0, GPU-aa\n", "99999999999999, GPU-aa, 1, 2\n", ",,,\n"}) {
    EXPECT_THAT(parse_gpu_loads(text, "also, no, list"), IsEmpty()) << text;
  }
}

TEST(LeastBusyGpu, HasFewProcessesThenLittleToDo) {
  const struct {
    std::vector<GpuLoad> gpus;
    int index;
  } cases[] = {
      {{{0, "a", 1, 0, 0}}, 0},
      {{{0, "a", 1, 0, 0}, {1, "b", 0, 90, 9}}, 1},
      {{{0, "a", 1, 50, 0}, {1, "b", 1, 40, 9}}, 1},
      {{{0, "a", 0, 0, 500}, {1, "b", 0, 0, 4}, {2, "c", 0, 0, 4}}, 1},
  };
  for (const auto& c : cases) EXPECT_EQ(least_busy(c.gpus).index, c.index);
}

TEST(GpuChoice, RefusesWhatIsNoNumber) {
  for (const char* wanted : {"", "-1", "first", "0x1", "1,2", "123456"}) {
    EXPECT_THAT([&] { choose_gpu(wanted); },
                ThrowsMessage<CannotGrade>(HasSubstr("is no number of a GPU")))
        << wanted;
  }
}

TEST(GpuChoice, LeavesTheUsersOwnAlone) {
  ::setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  choose_gpu("auto");
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "3");
}

}  // namespace
}  // namespace tilewise::grading
