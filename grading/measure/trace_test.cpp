#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"

// Tests of the program `lab trace`: what it writes, what it refuses and how it exits.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

CommandResult trace(std::vector<std::string> arguments, const fs::path& folder) {
  Command command;
  command.arguments = {tool("tilewise"), "trace"};
  for (std::string& argument : arguments) {
    if (argument == "FILE") argument = folder / "file";
    command.arguments.push_back(std::move(argument));
  }
  return run_command(command);
}

struct Refusal {
  const char* what;
  std::vector<std::string> arguments;
  int status;
  const char* message;
};

class TraceRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(TraceRefuses, AndSaysWhatToDo) {
  const ScratchDirectory scratch;
  const CommandResult run = trace(GetParam().arguments, scratch.path());
  EXPECT_EQ(run.status, GetParam().status) << run.output;
  EXPECT_THAT(run.output, HasSubstr(GetParam().message));
  EXPECT_TRUE(text_of(scratch.path() / "file").empty());
}

std::vector<std::string> figure(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"3", "--solutions", "--figure", "FILE"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> page(const char* call) {
  return {"3", "--solutions", "--output", "FILE", "--call", call};
}

INSTANTIATE_TEST_SUITE_P(
    Calls, TraceRefuses,
    testing::Values(
        Refusal{"NoStage", {}, 2, "STAGE is required"}, Refusal{"UnknownStage", {"33"}, 2, "33"},
        Refusal{"UnknownFunction", page("matmul(n=16)"), 2, "this stage has no function 'matmul'"},
        Refusal{"LargeMatrices", page("matmul_shared(n=4096, tile=16)"), 2, "too many to draw"},
        Refusal{"NothingLaunched", page("matmul_shared(n=0, tile=16)"), 1, "launched no kernel"},
        Refusal{"WrongArguments", page("matmul_shared(n=16, tile=9)"), 1, "cudaErrorInvalidValue"},
        Refusal{"ViewWithoutFigure", {"3", "--view", "banks"}, 2, "--view requires --figure"},
        Refusal{"UnknownView", figure({"--view", "colours"}), 2, "colours"},
        Refusal{"BackwardIntervals", figure({"--interval", "3-1"}), 2, "'3-1' is no interval"},
        Refusal{"UnreadableThread", figure({"--threads", "1x0"}), 2, "write it as 1,0"},
        Refusal{"ThreadOutsideOfBlock", figure({"--threads", "9,9"}), 2, "no thread (9, 9)"},
        Refusal{"NoPartitions", figure({"--view", "partitions"}), 2, "--gpu gtx280"},
        Refusal{"NowhereToWrite",
                {"3", "--solutions", "--output", "/nowhere/trace.html"},
                2,
                "/nowhere/trace.html"}),
    [](const auto& info) { return info.param.what; });

TEST(Trace, SaysWhyAKernelCannotBeCompiled) {
  TemporarySubmission submission("03_shared_memory");
  submission.put("matmul_shared.cu", "#include \"matmul_shared.hpp\"\nno C++\n");
  const ScratchDirectory scratch;
  const CommandResult run =
      trace({"3", "--submission", submission.root(), "--output", "FILE"}, scratch.path());
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("matmul_shared.cu:2"));
}

TEST(Trace, WritesOneFileThatTakesNoTextForMarkup) {
  std::string source = text_of(layout().root / "solutions/03_shared_memory/matmul_shared.cu");
  TemporarySubmission submission("03_shared_memory");
  submission.put("matmul_shared.cu", source + "// </script><b>mine</b>\n");
  const ScratchDirectory scratch;
  const CommandResult run =
      trace({"3", "--submission", submission.root(), "--output", "FILE"}, scratch.path());
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(run.output, HasSubstr("of 4 blocks"));
  const std::string page = text_of(scratch.path() / "file");
  EXPECT_THAT(page, HasSubstr("\"schema\":\"tilewise/trace/v1\""));
  EXPECT_THAT(page, HasSubstr("\\u003c/script>\\u003cb>mine"));
  EXPECT_THAT(page, Not(HasSubstr("<b>mine")));
  EXPECT_LT(page.size(), std::size_t{3} << 20);
}

TEST(Trace, DrawsASkeletonThatComputesNothing) {
  TemporarySubmission submission("03_shared_memory");
  submission.take(layout().root / "labs/03_shared_memory");
  const ScratchDirectory scratch;
  const CommandResult run =
      trace({"3", "--submission", submission.root(), "--output", "FILE"}, scratch.path());
  EXPECT_EQ(run.status, 0) << run.output;
}

}  // namespace
}  // namespace tilewise::grading
