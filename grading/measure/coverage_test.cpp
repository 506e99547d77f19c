#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/base/test/matches.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"

// Tests of the program `lab coverage`: what it runs, what it shows and how it exits.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* stage_id = "02_multi_block_grid";
constexpr const char* file_name = "matmul_grid.cu";

CommandResult coverage(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {tool("tilewise"), "coverage"});
  Command command;
  command.arguments = std::move(arguments);
  return run_command(std::move(command));
}

std::string solution() {
  std::ifstream file(layout().root / "solutions" / stage_id / file_name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the solution with `text` inserted after the first line that ends with `line`.
std::string solution_with(const std::string& text, const std::string& line) {
  std::string source = solution();
  const std::size_t at = source.find(line + "\n");
  EXPECT_NE(at, source.npos) << line;
  return source.insert(at + line.size() + 1, text);
}

/// Returns the text of the lines that are marked as not reached.
std::vector<std::string> missed_lines(const std::string& output) {
  std::vector<std::string> lines;
  for (const auto& marked : core::matches_of(output, R"(\n  ! +no test +\d+ +([^\n]*))")) {
    lines.push_back(marked[1]);
  }
  return lines;
}

TEST(Coverage, TestsReachAllOfASolution) {
  for (const char* stage : {"1", "3"}) {
    const CommandResult run = coverage({stage, "--solutions"});
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_THAT(run.output, HasSubstr(".cu: 100.0% reached, ")) << stage;
    EXPECT_THAT(missed_lines(run.output), IsEmpty()) << run.output;
  }
}

TEST(Coverage, CountsBarriersAsOftenAsThreadsComeToThem) {
  const CommandResult run = coverage({"3", "--solutions"});
  const auto barriers = core::matches_of(run.output, R"(\n +([0-9,]+) +\d+ +__syncthreads\(\);)");
  ASSERT_EQ(barriers.size(), 2u) << run.output;
  EXPECT_EQ(barriers[0][1], barriers[1][1]);
}

TEST(Coverage, ShowsWhatNoTestReaches) {
  TemporarySubmission submission(stage_id);
  submission.put(file_name, solution_with("  if (n == 123456) {\n"
                                          "    block.x = 1;  // never\n"
                                          "  }\n",
                                          "const float* B, float* C, int n, dim3 block) {"));
  const CommandResult run = coverage({"2", "--submission", submission.root()});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(missed_lines(run.output), ElementsAre("block.x = 1;  // never")) << run.output;
  EXPECT_THAT(run.output, HasSubstr("ran without a sandbox"));
  EXPECT_THAT(run.output, Not(HasSubstr("did not pass")));
}

TEST(Coverage, CountsWhatRanBeforeACrash) {
  TemporarySubmission submission(stage_id);
  submission.put(file_name, solution_with("  if (n > 0) {\n"
                                          "    volatile int* nothing = nullptr;\n"
                                          "    *nothing = 1;\n"
                                          "  }\n",
                                          "const float* B, float* C, int n, dim3 block) {"));
  const CommandResult run = coverage({"2", "--submission", submission.root()});
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_THAT(missed_lines(run.output), Not(testing::Contains(HasSubstr("nothing = nullptr"))))
      << run.output;
  EXPECT_THAT(missed_lines(run.output), testing::Contains(HasSubstr("<<<"))) << run.output;
  EXPECT_THAT(run.output, HasSubstr("tests did not pass"));
}

TEST(Coverage, NeedsWhatCompiles) {
  TemporarySubmission submission(stage_id);
  submission.put(file_name, "int x = 1\n");
  const CommandResult run = coverage({"2", "--submission", submission.root()});
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_THAT(run.output, HasSubstr("matmul_grid.cu:1"));
}

TEST(Coverage, SaysWhatItCannotDo) {
  const struct {
    std::vector<std::string> arguments;
    const char* answer;
  } cases[] = {{{}, "STAGE is required"},
               {{"99"}, "no stage"},
               {{"2", "--submission", "/nowhere"}, "/nowhere"}};
  for (const auto& [arguments, answer] : cases) {
    const CommandResult run = coverage(arguments);
    EXPECT_EQ(run.status, 2) << run.output;
    EXPECT_THAT(run.output, HasSubstr(answer));
  }
}

}  // namespace
}  // namespace tilewise::grading
