#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "common/process/sandbox.hpp"
#include "grading/builder/toolchain.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Runs shells in the place of compilers, with a sandbox and without.
class ToolCommand : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) return;
    const SandboxSearch search = find_sandbox();
    if (!search.sandbox) GTEST_SKIP() << search.why_not;
    sandbox_ = search.sandbox;
  }

  CommandResult run(const std::string& script) {
    const ToolFiles files{{folder_.path() / "source"}, folder_.path() / "made", folder_.path()};
    fs::create_directory(files.writable);
    for (const char* name : {"source", "other"}) std::ofstream(folder_.path() / name) << name;
    return run_command(tool_command({"sh", "-c", script}, files, sandbox_));
  }

  Sandbox sandbox_;
  ScratchDirectory folder_;
};

TEST_P(ToolCommand, ReadsItsSourceAndWritesToItsFolder) {
  const CommandResult result = run("cat source && echo new > made/new && cat made/new");
  EXPECT_TRUE(result.succeeded()) << result.output;
  EXPECT_EQ(result.output, "sourcenew\n");
  EXPECT_TRUE(fs::exists(folder_.path() / "made" / "new"));
}

TEST_P(ToolCommand, GetsFewVariables) {
  setenv("TILEWISE_TEST_TOKEN", "secret", 1);
  EXPECT_THAT(run("env").output,
              AllOf(HasSubstr("PATH="), HasSubstr("LC_ALL=C"), Not(HasSubstr("secret"))));
  unsetenv("TILEWISE_TEST_TOKEN");
}

TEST_P(ToolCommand, HasLimits) {
  EXPECT_THAT(run("ulimit -f; ulimit -d").output, Not(HasSubstr("unlimited")));
}

TEST_P(ToolCommand, SeesNothingElseInASandbox) {
  EXPECT_EQ(run("cat other").succeeded(), !GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sandbox, ToolCommand, testing::Bool());

}  // namespace
}  // namespace tilewise::grading
