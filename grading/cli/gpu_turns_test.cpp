#include "grading/cli/gpu_turns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

#include "common/process/scratch_directory.hpp"

namespace tilewise::grading {
namespace {

// In order of how busy they are: b, a, c.
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

// What try_to_take() says in a process of its own.
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
  // Forked before, so that it knows nothing of what this process takes.
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

TEST(GpuTurns, StopNobodyWhereNoFileCanBe) { EXPECT_TRUE(try_to_take("GPU-1", "/nowhere/at/all")); }

}  // namespace
}  // namespace tilewise::grading
