#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/course/stages.hpp"

// These tests run docs/handouts/check.py, page by page: no figure and no command of a handout may
// be stale.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return layout().root / "docs" / "handouts"; }

CommandResult python(const std::string& script, const std::vector<std::string>& arguments) {
  Command command;
  // -B keeps Python from leaving files in the sources.
  command.arguments = {"python3", "-B", (folder() / script).string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.working_directory = folder();
  return run_command(command);
}

/// The pages that have checks: 01_single_block, first_hour, ...
std::vector<std::string> pages() {
  std::vector<std::string> found;
  for (const StageInfo& stage : stages()) found.push_back(stage.id);
  for (const auto& file : fs::directory_iterator(folder() / "checks")) {
    if (file.path().extension() == ".py") found.push_back(file.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

class Handouts : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (find_program("python3").empty()) GTEST_SKIP() << "python3 is not installed";
  }
};

TEST_P(Handouts, SaysWhatIsSo) {
  const CommandResult checked =
      python("check.py", {"--tilewise", tool("tilewise").string(), GetParam()});
  EXPECT_TRUE(checked.succeeded()) << describe_ending(checked) << ":\n" << checked.output;
}

INSTANTIATE_TEST_SUITE_P(Pages, Handouts, testing::ValuesIn(pages()),
                         [](const auto& info) { return info.param; });

TEST(HandoutsChecks, FindWhatIsStale) {
  if (find_program("python3").empty()) GTEST_SKIP() << "python3 is not installed";
  const CommandResult checked = python("page_test.py", {});
  EXPECT_TRUE(checked.succeeded()) << describe_ending(checked) << ":\n" << checked.output;
}

}  // namespace
}  // namespace tilewise::grading
