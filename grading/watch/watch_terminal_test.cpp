#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/files.hpp"
#include "grading/watch/test/pseudo_terminal.hpp"

// These tests run `lab watch` on a pseudo-terminal, with a real course, compiler and grader.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

const std::string stage = "01_single_block", source = "matmul_single_block.cu";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string solution() { return text_of(layout().root / "solutions" / stage / source); }

bool same(const termios& a, const termios& b) {
  return a.c_lflag == b.c_lflag && a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag;
}

class WatchOnATerminal : public testing::Test {
 protected:
  std::vector<std::pair<std::string, std::string>> environment() const {
    // TMPDIR identifies the processes and files that a grading leaves behind.
    return {{"TILEWISE_ROOT", course_.root()}, {"TMPDIR", temporary_.path()}, {"TERM", "xterm"}};
  }

  /// Saves as an editor does, by writing another file and renaming it.
  void save(const std::string& text) const {
    const fs::path file = course_.lab(stage, source);
    std::ofstream(file.string() + ".new", std::ios::binary) << text;
    fs::rename(file.string() + ".new", file);
  }

  /// The number of processes that a grading has started and that still run.
  int left_over() const {
    int count = 0;
    std::error_code ignored;
    for (const auto& process : fs::directory_iterator("/proc", ignored)) {
      for (const char* file : {"cmdline", "environ"}) {
        if (text_of(process.path() / file).find(temporary_.path()) == std::string::npos) continue;
        ++count;
        break;
      }
    }
    return count;
  }

  void expect_nothing_left_over() const {
    for (int i = 0; i < 300 && left_over() > 0; ++i) std::this_thread::sleep_for(100ms);
    EXPECT_EQ(left_over(), 0);
  }

  TemporaryCourse course_;
  ScratchDirectory temporary_;
};

int times(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

constexpr const char* grading_begins = "Compiling and grading ... 0 s";

TEST_F(WatchOnATerminal, LeadsThroughAStageAndOnToTheNext) {
  PseudoTerminal terminal({tool("tilewise"), "watch"}, environment());
  const termios before = terminal.attributes();
  ASSERT_TRUE(terminal.shows("It is graded each time you save, ")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("labs/01_single_block/README.md"));
  EXPECT_TRUE(terminal.shows("q quit"));
  EXPECT_FALSE(same(terminal.attributes(), before)) << "keys come one by one";

  // Of two quick saves, only the second is graded.
  save("this does not compile");
  save(replaced(solution(), "] = sum;", "] = sum + 1;"));
  ASSERT_TRUE(terminal.shows(" tests passed, ")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("C[0][0] is"));
  EXPECT_EQ(times(terminal.written(), grading_begins), 1);

  terminal.type("h");
  EXPECT_TRUE(terminal.shows("MatmulSingleBlock.IsRightWhenTheBlockDividesN failed"));
  terminal.type("h");
  EXPECT_TRUE(terminal.shows("hint 1 of 3: Idea"));
  terminal.type("l");
  EXPECT_TRUE(terminal.shows("> 01_single_block"));
  terminal.type("\033[H\033OH\033h");  // the Home key and Alt+h do not count as h
  terminal.type(" ");
  EXPECT_TRUE(terminal.shows(" tests passed, "));
  EXPECT_EQ(progress_of(read_progress(course_.root()), stage).hints.tiers,
            (std::map<std::string, int>{{"matmul_single_block", 1}}));

  save(replaced(solution(), "sum", "total"));
  ASSERT_TRUE(terminal.shows("*** 01_single_block passed: 10 of 10 points. Well done! ***"))
      << terminal.screen();
  EXPECT_TRUE(terminal.shows("-      float total = 0.0f;"));
  EXPECT_TRUE(terminal.shows("+      float sum = 0.0f;"));
  EXPECT_TRUE(terminal.shows("Two loops with the block's sides as strides"));
  EXPECT_TRUE(terminal.shows("1 of " + std::to_string(stages().size()) + " stages"));
  EXPECT_EQ(read_progress(course_.root()).current, "02_multi_block_grid");
  terminal.type("n");
  EXPECT_TRUE(terminal.shows("labs/02_multi_block_grid/README.md"));
  EXPECT_TRUE(terminal.shows("Watching labs/02_multi_block_grid/matmul_grid.cu"));

  terminal.type("q");
  const int status = terminal.wait();
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(same(terminal.attributes(), before));
  EXPECT_THAT(terminal.written(), HasSubstr("\033[?25h")) << "the cursor is back";
  expect_nothing_left_over();
}

TEST_F(WatchOnATerminal, ASaveDuringGradingStartsItOver) {
  PseudoTerminal terminal({tool("tilewise"), "watch", "1"}, environment());
  ASSERT_TRUE(terminal.shows("q quit"));
  save(solution());
  ASSERT_TRUE(terminal.shows(grading_begins));
  save("int x = 1\n");
  ASSERT_TRUE(terminal.shows("Nothing could be graded")) << terminal.screen();
  EXPECT_TRUE(terminal.shows("matmul_single_block.cu:1"));
  EXPECT_EQ(times(terminal.written(), grading_begins), 2);
  EXPECT_EQ(times(terminal.written(), "passed:"), 0) << "the first one had no result";
}

TEST_F(WatchOnATerminal, GivesTheTerminalBackHoweverItEnds) {
  if (!fs::exists("/proc/self/environ")) GTEST_SKIP() << "nothing tells what is left over";
  const struct {
    const char* what;
    int signal;       ///< 0: Ctrl-C is typed
    int exit_status;  ///< -1: the signal kills the process
  } cases[] = {
      {"Ctrl-C", 0, 0},         {"SIGTERM", SIGTERM, 2},  {"SIGHUP", SIGHUP, 2},
      {"SIGQUIT", SIGQUIT, -1}, {"SIGKILL", SIGKILL, -1},
  };
  for (const auto& [what, signal, exit_status] : cases) {
    SCOPED_TRACE(what);
    PseudoTerminal terminal({tool("tilewise"), "watch", "1"}, environment());
    const termios before = terminal.attributes();
    ASSERT_TRUE(terminal.shows("q quit"));
    terminal.type("r");
    ASSERT_TRUE(terminal.shows("Compiling and grading ... "));
    // The signal arrives in the middle of compiling.
    std::this_thread::sleep_for(300ms);
    EXPECT_GT(left_over(), 1);
    if (signal == 0) {
      terminal.type("\x03");
    } else {
      terminal.send(signal);
    }
    const int status = terminal.wait();
    ASSERT_NE(status, -1) << "it goes on";
    if (exit_status < 0) {
      EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == exit_status);
    }
    const bool could_act = signal != SIGKILL;
    EXPECT_TRUE(same(terminal.attributes(), before) || !could_act);
    expect_nothing_left_over();
  }
}

TEST_F(WatchOnATerminal, CanBeStoppedAndContinued) {
  const std::string program = tool("tilewise");
  PseudoTerminal terminal(
      {"bash", "-mc", "\"$0\" watch 1; echo stopped; read line; fg; echo ended with $?", program},
      environment());
  const termios before = terminal.attributes();
  ASSERT_TRUE(terminal.shows("q quit"));
  terminal.type("\x1a");
  ASSERT_TRUE(terminal.shows("stopped"));
  EXPECT_TRUE(same(terminal.attributes(), before)) << "the shell gets it as it was";
  terminal.forget();
  terminal.type("\n");
  ASSERT_TRUE(terminal.shows("Watching labs/")) << "it is drawn anew";
  EXPECT_FALSE(same(terminal.attributes(), before));
  terminal.type("q");
  EXPECT_TRUE(terminal.shows("ended with 0")) << terminal.screen();
}

TEST_F(WatchOnATerminal, FollowsTheSizeOfTheTerminal) {
  PseudoTerminal terminal({tool("tilewise"), "watch", "1"}, environment(), 24, 8);
  ASSERT_TRUE(terminal.shows("h hint   n next   l list\nr run again   q quit"));
  terminal.resize(90, 30);
  EXPECT_TRUE(terminal.shows("h hint   n next   l list   r run again   q quit"));
  terminal.resize(1, 1);
  EXPECT_TRUE(terminal.shows("h hint\nn next\nl list\n"));
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
}

TEST_F(WatchOnATerminal, SaysWhyAndLeavesWhereProgressIsDamaged) {
  std::ofstream(progress_file(course_.root())) << "{";
  PseudoTerminal terminal({tool("tilewise"), "watch"}, environment());
  const int status = terminal.wait();
  EXPECT_EQ(WEXITSTATUS(status), 2);
  EXPECT_THAT(terminal.screen(), HasSubstr("progress.json is damaged"));
}

}  // namespace
}  // namespace tilewise::grading
