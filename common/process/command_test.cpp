#include "common/process/command.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/sandbox.hpp"

namespace tilewise::grading {
namespace {

using testing::ElementsAre;
using Ending = CommandResult::Ending;

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  return command;
}

TEST(RunCommand, TellsHowItEnded) {
  const struct {
    std::string script;
    Ending ending;
    int status;
    std::string output;
  } cases[] = {
      {"exit 0", Ending::exited, 0, ""},
      {"echo out; echo err >&2; exit 3", Ending::exited, 3, "out\nerr\n"},
      {"kill -SEGV $$", Ending::signalled, SIGSEGV, ""},
      {"cat", Ending::exited, 0, ""},                                       // no standard input
      {"exec >&- 2>&-; sleep 0.2; exit 5", Ending::exited, 5, ""},          // outlives its pipes
      {"(sleep 100; echo late) & echo done", Ending::exited, 0, "done\n"},  // leaves a child behind
  };
  for (const auto& expected : cases) {
    const CommandResult result = run_command(shell(expected.script));
    EXPECT_EQ(result.ending, expected.ending) << expected.script;
    EXPECT_EQ(result.status, expected.status) << expected.script;
    EXPECT_EQ(result.output, expected.output) << expected.script;
    EXPECT_EQ(result.succeeded(), expected.ending == Ending::exited && expected.status == 0);
  }
}

TEST(RunCommand, RunsSeveralSideBySide) {
  const ScratchDirectory scratch;
  const std::string place = scratch.path() / "sign";
  RunningCommand first(shell("until [ -e " + place + " ]; do sleep 0.01; done; echo first"));
  RunningCommand second(shell("touch " + place + "; echo second"));
  EXPECT_EQ(first.wait().output, "first\n");
  EXPECT_EQ(second.wait().output, "second\n");
}

TEST(RunCommand, EndsWhatNobodyWaitsFor) {
  const auto start = std::chrono::steady_clock::now();
  { const RunningCommand forgotten(shell("sleep 100")); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(50));
}

TEST(RunCommand, LetsACommandClearUpBeforeItEnds) {
  const ScratchDirectory folder;
  const std::string file = folder.path() / "cleared";
  Command command = shell("trap 'echo yes > \"$0\"; exit' TERM; echo ready >&3; sleep 100 & wait");
  command.arguments.push_back(file);
  bool ready = false;
  command.on_event = [&](std::string_view) { ready = true; };
  RunningCommand running(std::move(command));
  while (!ready) ASSERT_FALSE(running.is_over());
  running.end(60);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(RunCommand, KillsACommandThatWillNotEnd) {
  bool ready = false;
  Command command = shell("trap '' TERM; echo ready >&3; sleep 100; sleep 100");
  command.on_event = [&](std::string_view) { ready = true; };
  RunningCommand running(std::move(command));
  while (!ready) ASSERT_FALSE(running.is_over());
  const auto begin = std::chrono::steady_clock::now();
  running.end(0.1);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(RunCommand, HasNothingToEndOnceItWasWaitedFor) {
  RunningCommand running(shell("exit 3"));
  EXPECT_EQ(running.wait().status, 3);
  const auto begin = std::chrono::steady_clock::now();
  running.end(60);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

#ifdef __linux__
TEST(RunCommand, EndsACommandWhoseParentIsKilled) {
  const ScratchDirectory folder;
  const std::string held = folder.path() / "held";  // the command holds it open while it lives
  ASSERT_EQ(mkfifo(held.c_str(), 0600), 0);
  const int end = open(held.c_str(), O_RDONLY | O_NONBLOCK);
  const pid_t parent = fork();
  if (parent == 0) {
    Command command = shell("exec 9>\"$0\"; echo started >&3; exec sleep 100");
    command.arguments.push_back(held);
    command.on_event = [&](std::string_view) { raise(SIGKILL); };
    run_command(command);
    _exit(0);
  }
  int status = 0;
  waitpid(parent, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  pollfd closed{end, POLLIN, 0};
  constexpr int long_ms = 30'000;
  EXPECT_EQ(poll(&closed, 1, long_ms), 1) << "the command lives on";
  close(end);
}
#endif

TEST(RunCommand, TellsThatItCouldNotStart) {
  Command command;
  command.arguments = {"tilewise-no-such-program"};
  const CommandResult result = run_command(command);
  EXPECT_EQ(result.ending, Ending::not_started);
  EXPECT_EQ(result.status, ENOENT);
  EXPECT_EQ(describe_ending(result), "could not be started: No such file or directory");

  command.arguments = {"true"};
  command.working_directory = "/no/such/folder";
  EXPECT_EQ(run_command(command).ending, Ending::not_started);
}

TEST(RunCommand, SetsVariablesAndFolder) {
  Command command = shell("echo $TILEWISE_A $TILEWISE_B; pwd");
  command.environment = {{"TILEWISE_A", "1"}, {"TILEWISE_B", "2"}};
  command.working_directory = "/";
  EXPECT_EQ(run_command(command).output, "1 2\n/\n");
}

TEST(RunCommand, EndsTheWholeGroupWhenTheTimeIsUp) {
  Command command = shell("echo begun; sleep 100 & sleep 100");
  command.time_limit_s = 0.3;
  const auto start = std::chrono::steady_clock::now();
  const CommandResult result = run_command(command);
  EXPECT_EQ(result.ending, Ending::timed_out);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(RunCommand, KeepsOnlyTheBeginningOfAFlood) {
  const CommandResult result = run_command(shell("head -c 3000000 /dev/zero | tr '\\0' x"));
  EXPECT_TRUE(result.succeeded());
  EXPECT_EQ(result.output.size(), CommandResult::kept_output_bytes);
}

TEST(RunCommand, LimitsTheFilesItWrites) {
  Command command = shell("head -c 100000 /dev/zero > \"$0\"");
  const std::string file = testing::TempDir() + "tilewise_command_test_file";
  command.arguments.push_back(file);
  EXPECT_TRUE(run_command(command).succeeded());
  command.limits.file_bytes = 1000;
  EXPECT_FALSE(run_command(command).succeeded());
  std::filesystem::remove(file);
}

TEST(RunCommand, HandsOverEventsLineByLine) {
  std::vector<std::string> lines;
  Command command = shell("echo text; echo one >&3; printf tw >&3; printf 'o\\n\\nthree' >&3");
  command.on_event = [&](std::string_view line) { lines.emplace_back(line); };
  EXPECT_EQ(run_command(command).output, "text\n");
  EXPECT_THAT(lines, ElementsAre("one", "two", ""));  // an unfinished line is no event
}

TEST(RunCommand, IsInterruptedBySignals) {
  interrupt_on_signals();
  Command command = shell("kill -INT $PPID; sleep 100");
  try {
    run_command(command);
    ADD_FAILURE() << "not interrupted";
  } catch (const Interrupted& interrupted) {
    EXPECT_EQ(interrupted.signal, SIGINT);
  }
  EXPECT_TRUE(run_command(shell("exit 0")).succeeded()) << "one interruption, not one for ever";
}

}  // namespace
}  // namespace tilewise::grading
