#include "grading/cli/backend_choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"

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

// From the least to the most busy these are b, a, c.
const std::vector<GpuLoad> three = {{.index = 0, .uuid = "a", .processes = 1},
                                    {.index = 1, .uuid = "b"},
                                    {.index = 2, .uuid = "c", .processes = 2}};

TEST(GpuTurns, GoToTheLeastBusyThatIsFree) {
  const struct {
    std::set<std::string> taken;
    std::set<std::string> taken_later;  ///< after a wait
    std::string choice;
    int waits;
  } cases[] = {
      {{}, {}, "b", 0},
      {{"b"}, {}, "a", 0},
      {{"a", "b"}, {}, "c", 0},
      {{"a", "b", "c"}, {"a", "b"}, "c", 1},
      {{"a", "b", "c"}, {"c"}, "b", 1},
  };
  for (const auto& c : cases) {
    std::set<std::string> taken = c.taken;
    int told = 0, waits = 0;
    const GpuLoad& chosen = take_one_of(
        three, {.try_to_take = [&](const GpuLoad& gpu) { return !taken.contains(gpu.uuid); },
                .tell_of_waiting = [&] { ++told; },
                .wait =
                    [&] {
                      ++waits;
                      taken = c.taken_later;
                    }});
    EXPECT_EQ(chosen.uuid, c.choice);
    EXPECT_EQ(waits, c.waits);
    EXPECT_EQ(told, c.waits);
  }
}

TEST(GpuTurns, TellOnceOfALongWait) {
  int told = 0, waits = 0;
  take_one_of(three, {.try_to_take = [&](const GpuLoad&) { return waits == 5; },
                      .tell_of_waiting = [&] { ++told; },
                      .wait = [&] { ++waits; }});
  EXPECT_EQ(told, 1);
}

// Returns what try_to_take() says in a process of its own.
bool another_process_could_take(const std::string& uuid, const std::filesystem::path& folder) {
  const pid_t child = fork();
  if (child == 0) _exit(try_to_take(uuid, folder) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(GpuTurns, EndWithTheProcess) {
  const ScratchDirectory folder;
  EXPECT_TRUE(another_process_could_take("GPU-1", folder.path()));
  EXPECT_TRUE(another_process_could_take("GPU-1", folder.path())) << "the first has ended";
  // The child is forked before, so that it knows nothing of what this process takes.
  int ask[2], answer[2];
  ASSERT_EQ(pipe(ask), 0);
  ASSERT_EQ(pipe(answer), 0);
  const pid_t child = fork();
  if (child == 0) {
    char letter = 0;
    while (read(ask[0], &letter, 1) == 1 && letter != 'q') {
      const char said = try_to_take(std::string("GPU-") + letter, folder.path()) ? 'y' : 'n';
      if (write(answer[1], &said, 1) != 1) break;
    }
    _exit(0);
  }
  const auto other_could_take = [&](char letter) {
    char said = 0;
    return write(ask[1], &letter, 1) == 1 && read(answer[0], &said, 1) == 1 && said == 'y';
  };
  EXPECT_TRUE(try_to_take("GPU-1", folder.path()));
  EXPECT_TRUE(try_to_take("GPU-1", folder.path())) << "it is this process's own";
  EXPECT_FALSE(other_could_take('1'));
  EXPECT_TRUE(other_could_take('2'));
  EXPECT_FALSE(try_to_take("GPU-2", folder.path()));
  EXPECT_EQ(write(ask[1], "q", 1), 1);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(try_to_take("GPU-2", folder.path()));
}

TEST(GpuTurns, AreTheSameForAllWhateverTheirTemporaryFolder) {
  const std::filesystem::path folder = folder_of_turns();
  const char* const usual = std::getenv("TMPDIR");
  const std::string before = usual == nullptr ? "" : usual;
  ::setenv("TMPDIR", "/var/tmp", 1);
  EXPECT_EQ(folder_of_turns(), folder);
  usual == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}

TEST(GpuTurns, StopNobodyWhereNoFileCanBe) { EXPECT_TRUE(try_to_take("GPU-1", "/nowhere/at/all")); }

}  // namespace
}  // namespace tilewise::grading
