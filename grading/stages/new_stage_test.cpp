#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/built_parts.hpp"
#include "grading/builder/layout.hpp"
#include "grading/watch/test/pseudo_terminal.hpp"

// A stage consists of three folders and nothing else. In this test a copy of the course gains a
// stage, a reduction, and loses another, and every command must notice.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string added = "42_sum", removed = "02_multi_block_grid";

std::vector<fs::path> folders_of(const std::string& stage) {
  return {fs::path("labs") / stage, fs::path("solutions") / stage,
          fs::path("grading") / "stages" / stage};
}

/// A copy of the course, with its build, in which stages can be added and removed.
///
/// The build's files refer to each other by absolute paths. So that little has to be rebuilt,
/// bubblewrap mounts the copy at the course's place for the build tools. The built programs find
/// their files by themselves.
class CopyOfTheCourse {
 public:
  CopyOfTheCourse() : build_(fs::relative(layout().build, layout().root)) {
    const fs::path course = layout().root;
    fs::create_directories(root() / build_);
    for (const auto& item : fs::directory_iterator(course)) {
      const std::string name = item.path().filename();
      if (name.starts_with('.') || name.starts_with("build")) continue;
      copy(item, root());
    }
    for (const auto& item : fs::directory_iterator(layout().build)) {
      const std::string name = item.path().filename();
      // Tests are not needed.
      if (name == "test" || name == "Testing" || name == "coverage" || name == "cache") continue;
      copy(item, root() / build_);
    }
  }

  fs::path root() const { return scratch_.path() / "course"; }

  void add(const std::string& stage) const {
    const fs::path folder = layout().root / "grading" / "stages" / "testdata" / "tenth_stage";
    for (const fs::path& part : folders_of(stage)) {
      fs::copy(folder / part, root() / part, fs::copy_options::recursive);
    }
  }

  void remove(const std::string& stage) const {
    for (const fs::path& part : folders_of(stage)) fs::remove_all(root() / part);
  }

  /// Updates the build, as `lab` does before each command, including the parts that commands build
  /// on demand.
  void build() const {
    const CommandResult built =
        run({"bwrap", "--dev-bind", "/", "/", "--bind", root(), layout().root, "--die-with-parent",
             "--chdir", layout().root, "cmake", "--build", layout().build, "--target", all_parts});
    ASSERT_TRUE(built.succeeded()) << describe_ending(built) << '\n' << built.output;
  }

  std::vector<std::string> tilewise(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), root() / build_ / "bin" / "tilewise");
    return arguments;
  }

  std::vector<std::pair<std::string, std::string>> environment() const {
    return {{"TILEWISE_ROOT", root()}, {"TERM", "xterm"}};
  }

  /// Returns what a command prints. It must end with this status.
  std::string said(const std::vector<std::string>& arguments, int status = 0) const {
    const CommandResult result = run(tilewise(arguments));
    EXPECT_EQ(result.ending, CommandResult::Ending::exited) << describe_ending(result);
    EXPECT_EQ(result.status, status) << result.output;
    return result.output;
  }

 private:
  static void copy(const fs::path& from, const fs::path& to) {
    // The copy keeps modification times, by which the build decides what is stale.
    Command command;
    command.arguments = {"cp", "-a", from, to};
    const CommandResult copied = run_command(std::move(command));
    if (!copied.succeeded()) throw std::runtime_error(copied.output);
  }

  CommandResult run(std::vector<std::string> arguments) const {
    Command command;
    command.arguments = std::move(arguments);
    command.environment = environment();
    return run_command(std::move(command));
  }

  fs::path build_;
  ScratchDirectory scratch_;
};

TEST(NewStage, IsKnownToEveryCommandByItsFoldersAlone) {
  if (const SandboxSearch search = find_sandbox(); !search.sandbox) GTEST_SKIP() << search.why_not;
  const CopyOfTheCourse course;
  course.add(added);
  course.remove(removed);
  ASSERT_NO_FATAL_FAILURE(course.build());

  EXPECT_THAT(course.said({"skeletons"}), HasSubstr(added));
  EXPECT_THAT(course.said({"list"}),
              AllOf(HasSubstr(added + "                sum.cu\n"), Not(HasSubstr(removed))));
  EXPECT_THAT(course.said({"status"}), HasSubstr("  " + added + "               0/10"));

  EXPECT_THAT(course.said({"grade", added, "--backend", "simt"}, 1),
              AllOf(HasSubstr("failed         0/4  Sum.IsRightForAnyLength"),
                    HasSubstr("sum(n=4096): the sum is 0, expected")));
  EXPECT_THAT(course.said({"hint", added}), HasSubstr("Still to be written: labs/42_sum/sum.cu"));
  EXPECT_THAT(course.said({"hint", added}), HasSubstr("sum, hint 1 of 3: Idea"));
  EXPECT_THAT(course.said({"grade", added, "--solutions", "--backend", "simt"}),
              HasSubstr("10/10  passed"));
  EXPECT_THAT(course.said({"profile", added, "--solutions", "--call", "sum(n=1000)"}),
              AllOf(HasSubstr("sum_kernel  grid 4x1"), HasSubstr("mine += x[i];")));
  EXPECT_THAT(course.said({"predict", added}), HasSubstr("42_sum asks for no prediction."));
  EXPECT_THAT(course.said({"trace", added, "--solutions", "--output", course.root() / "t.html"}),
              HasSubstr("sum(n=600): sum_kernel with"));
  EXPECT_THAT(course.said({"coverage", added, "--solutions"}),
              HasSubstr("atomicAdd(sum, part[0])"));

  const std::vector<std::string> on_simulator = {"--solutions", "--backend", "simt"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), on_simulator.begin(), on_simulator.end());
    return arguments;
  };
  EXPECT_THAT(course.said(with({"bench", added})),
              AllOf(HasSubstr("42_sum  sum  GB/s (modelled)"), HasSubstr("100000")));
  // The stage that it was compared with has been removed.
  EXPECT_THAT(course.said(with({"bench", "03_shared_memory", "--n", "64"})),
              AllOf(HasSubstr("matmul_shared"), Not(HasSubstr("matmul_grid"))));
  EXPECT_THAT(course.said(with({"report", added, "--output", course.root() / "r.html"})),
              HasSubstr("the laboratory report"));

  PseudoTerminal watch(course.tilewise({"watch", added}), course.environment());
  EXPECT_TRUE(watch.shows("Watching labs/42_sum/sum.cu")) << watch.screen();
  fs::copy_file(course.root() / "solutions/42_sum/sum.cu", course.root() / "labs/42_sum/sum.cu",
                fs::copy_options::overwrite_existing);
  EXPECT_TRUE(watch.shows("*** 42_sum passed: 10 of 10 points. Well done! ***")) << watch.screen();
  watch.type("q");
}

}  // namespace
}  // namespace tilewise::grading
