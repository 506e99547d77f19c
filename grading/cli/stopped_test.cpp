#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/results/files.hpp"
#include "grading/results/result.hpp"

// Tests `tilewise grade` that is stopped on its way.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

/// Whether any process was started with a text among its arguments.
bool runs_with(const std::string& text) {
  std::error_code gone;
  for (const auto& item : fs::directory_iterator("/proc", gone)) {
    if (text_of(item.path() / "cmdline").find(text) != text.npos) return true;
  }
  return false;
}

class StoppedTest : public testing::TestWithParam<int> {
 protected:
  /// Whether an examiner runs. The folders of a stage are made as soon as the first test is about
  /// to run.
  bool examiner_runs() const { return runs_with(temporary().string()) && !work_folders().empty(); }

  std::vector<fs::path> work_folders() const {
    std::vector<fs::path> found;
    std::error_code gone;
    for (const auto& item : fs::directory_iterator(temporary(), gone)) {
      if (fs::exists(item.path() / "work", gone)) found.push_back(item.path());
    }
    return found;
  }

  fs::path temporary() const { return scratch_.path() / "tmp"; }

  ScratchDirectory scratch_;
};

TEST_P(StoppedTest, WritesWhatIsKnown) {
  fs::create_directories(temporary());
  const fs::path json = scratch_.path() / "result.json", pid_file = scratch_.path() / "pid";
  Command command;
  command.arguments = {"sh",
                       "-c",
                       "echo $$ >\"$0\"; exec \"$@\"",
                       pid_file,
                       tool("tilewise"),
                       "grade",
                       "3",
                       "7",
                       "--solutions",
                       "--backend",
                       "simt",
                       "--json",
                       json};
  command.environment = {{"TMPDIR", temporary()}};
  RunningCommand running(std::move(command));
  while (!examiner_runs() && !running.is_over()) {
  }
  std::this_thread::sleep_for(1s);  // for a verdict or two
  ASSERT_EQ(::kill(std::stoi(text_of(pid_file)), GetParam()), 0);
  const CommandResult result = running.wait();

  EXPECT_EQ(result.ending, CommandResult::Ending::exited);
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_THAT(result.output, HasSubstr("Grading was stopped by SIG"));
  const auto grade = nlohmann::ordered_json::parse(text_of(json)).get<GradeResult>();
  ASSERT_EQ(grade.stages.size(), 2u);
  EXPECT_EQ(grade.stages.front().max_score, 10);
  EXPECT_EQ(grade.stages.back().max_score, 10);
  const TestResult& last = grade.stages.back().tests.back();
  EXPECT_EQ(last.status, Status::error);
  EXPECT_THAT(last.finding.message, HasSubstr("Grading was stopped"));
  EXPECT_TRUE(fs::is_empty(temporary())) << "it leaves files behind";
  // Processes that were killed with the one that started them are gone a moment later.
  for (int turn = 0; turn < 250 && runs_with(temporary().string()); ++turn) {
    std::this_thread::sleep_for(20ms);
  }
  EXPECT_FALSE(runs_with(temporary().string())) << "it leaves processes behind";
}

INSTANTIATE_TEST_SUITE_P(BySignal, StoppedTest, testing::Values(SIGTERM, SIGINT, SIGHUP));

}  // namespace
}  // namespace tilewise::grading
