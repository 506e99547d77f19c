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

TEST(LessBusyGpu, HasFewProcessesThenLittleToDo) {
  const GpuLoad in_order[] = {{0, "a", 0, 0, 4},  {1, "b", 0, 0, 4},  {2, "c", 0, 0, 500},
                              {3, "d", 0, 90, 0}, {4, "e", 1, 40, 9}, {5, "f", 1, 50, 0}};
  for (const GpuLoad& a : in_order) {
    for (const GpuLoad& b : in_order) EXPECT_EQ(less_busy(a, b), a.index < b.index);
  }
}

std::vector<std::string> names_of(const std::vector<GpuLoad>& gpus) {
  std::vector<std::string> names;
  for (const GpuLoad& gpu : gpus) names.push_back(gpu.uuid);
  return names;
}

TEST(UsableGpus, AreThoseThatAreWantedAndVisible) {
  const std::vector<GpuLoad> two = {{.index = 0, .uuid = "GPU-aa"}, {.index = 1, .uuid = "GPU-bb"}};
  const struct {
    std::vector<GpuLoad> gpus;
    const char* wanted;
    const char* visible;
    std::vector<std::string> usable;
  } cases[] = {
      {two, "auto", "", {"GPU-aa", "GPU-bb"}},
      {two, "1", "", {"GPU-bb"}},
      {two, "1", "0", {"GPU-bb"}},
      {two, "auto", "0", {"GPU-aa"}},
      {two, "auto", "1,0", {"GPU-bb", "GPU-aa"}},
      {two, "auto", "GPU-b", {"GPU-bb"}},
      {two, "auto", "GPU-bb, 0", {"GPU-bb", "GPU-aa"}},
      {two, "auto", "7", {}},
      {two, "auto", "MIG-cc", {}},
      {{}, "auto", "", {}},
      {{}, "3", "", {}},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(names_of(usable_gpus(c.gpus, c.wanted, c.visible)), c.usable)
        << c.wanted << " of " << c.visible;
  }
  EXPECT_THAT([&] { usable_gpus(two, "2", ""); },
              ThrowsMessage<CannotGrade>(HasSubstr("this machine has 2 GPUs, numbered from 0")));
}

TEST(NameAmong, SaysWhichOneWhereThereAreSeveral) {
  const GpuLoad second{.index = 1, .uuid = "b"};
  EXPECT_EQ(name_among("NVIDIA H200", second, 2), "NVIDIA H200, GPU 1 of 2");
  EXPECT_EQ(name_among("NVIDIA H200", second, 1), "NVIDIA H200");
  EXPECT_EQ(name_among("NVIDIA H200", std::nullopt, 2), "NVIDIA H200");
}

TEST(GpuChoice, RefusesWhatIsNoNumber) {
  for (const char* wanted : {"", "-1", "first", "0x1", "1,2", "123456"}) {
    EXPECT_THAT([&] { choose_gpu(wanted); },
                ThrowsMessage<CannotGrade>(HasSubstr("is no number of a GPU")))
        << wanted;
  }
}

TEST(GpuChoice, LeavesWhatNobodyListsAlone) {
  ::setenv("CUDA_VISIBLE_DEVICES", "MIG-of-the-users-own", 1);
  choose_gpu("auto");
  EXPECT_STREQ(std::getenv("CUDA_VISIBLE_DEVICES"), "MIG-of-the-users-own");
}

}  // namespace
}  // namespace tilewise::grading
