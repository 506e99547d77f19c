#include "grading/cli/mend.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "common/process/command.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"

// Tests `lab mend`, from a submission to what is printed.
namespace tilewise::grading {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Mending {
  const char* name;
  const char* given;    ///< text in stage 3's solution
  const char* mistake;  ///< text that takes its place
  int status;
  const char* says;
};

void PrintTo(const Mending& mending, std::ostream* out) { *out << mending.name; }

class Mends : public testing::TestWithParam<Mending> {};

TEST_P(Mends, SaysWhatMakesTheTestsPass) {
  const std::string stage = "03_shared_memory", file = "matmul_shared.cu";
  TemporarySubmission submission(stage);
  std::string text = core::text_of(layout().root / "solutions" / stage / file);
  const std::string given = GetParam().given;
  const std::size_t at = text.find(given);
  ASSERT_NE(at, text.npos);
  submission.put(file, text.replace(at, given.size(), GetParam().mistake));
  Command command;
  command.arguments = {tool("tilewise"), "mend", "3", "--submission", submission.root()};
  command.environment = {{"TILEWISE_SEED", "7"}};
  const CommandResult run = run_command(command);
  EXPECT_EQ(run.status, GetParam().status) << run.output;
  std::string words = run.output;  // becomes the output without the breaks between lines
  for (std::size_t end; (end = words.find("\n      ")) != words.npos;) words.replace(end, 7, " ");
  EXPECT_THAT(words, HasSubstr(GetParam().says));
}

// A change that makes results right may be the wrong thing to learn.
TEST(Mend, BreaksNoOtherTest) {
  const auto test = [](Category category, Status status, const char* kind, int line) {
    TestResult result;
    result.name = category == Category::correctness ? "IsRight" : "LoadsOnce";
    result.category = category;
    result.status = status;
    result.finding.kind = kind;
    result.finding.line = line;
    return result;
  };
  const TestResult right = test(Category::correctness, Status::passed, "", 0);
  const TestResult wrong = test(Category::correctness, Status::failed, "wrong-result", 7);
  const TestResult passes = test(Category::memory, Status::passed, "", 0);
  const TestResult slow = test(Category::memory, Status::failed, "requests", 9);
  const TestResult elsewhere = test(Category::memory, Status::failed, "requests", 12);
  const struct {
    const char* what;
    std::vector<TestResult> after, before;
    Mended mended;
  } cases[] = {
      {"all pass", {right, passes}, {wrong, passes}, Mended::wholly},
      {"still wrong", {wrong, passes}, {wrong, passes}, Mended::no},
      {"fails what passed", {right, slow}, {wrong, passes}, Mended::no},
      {"fails at another place", {right, slow}, {wrong, elsewhere}, Mended::no},
      {"fails as before", {right, slow}, {wrong, slow}, Mended::but_for_other_faults},
      {"is right and fails as before", {right, slow}, {right, slow}, Mended::no},
  };
  for (const auto& c : cases) {
    StageResult after, before;
    after.tests = c.after;
    before.tests = c.before;
    EXPECT_EQ(mended(after, before), c.mended) << c.what;
  }
}

/// `lab grade` looks for such a change by itself, if only a reader of the terminal is to know.
TEST(Mend, FollowsAVerdict) {
  const std::string stage = "01_single_block", file = "matmul_single_block.cu";
  TemporarySubmission submission(stage);
  std::string text = core::text_of(layout().root / "solutions" / stage / file);
  const std::string given = "k < n";
  submission.put(file, text.replace(text.find(given), given.size(), "k + 1 < n"));
  const std::string json = submission.root() / "result.json";
  const auto said = [&](std::vector<std::string> more) {
    Command command;
    command.arguments = {tool("tilewise"),  "grade",     "1",   "--submission",
                         submission.root(), "--backend", "simt"};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    const CommandResult run = run_command(command);
    EXPECT_EQ(run.status, 1) << run.output;
    return run.output;
  };
  const std::string mends = "This mends it: on line";
  const std::string read = said({});
  EXPECT_THAT(read, HasSubstr(mends));
  EXPECT_LT(read.find("Graded on"), read.find(mends)) << "the verdict comes first";
  EXPECT_THAT(said({"--json", json}), testing::Not(HasSubstr(mends)));
}

// In a single block each component of blockIdx is 0, and would mend what should begin there.
TEST(Mend, TellsNothingThatIsTheSameInAllLaunches) {
  const std::string stage = "01_single_block", file = "matmul_single_block.cu";
  TemporarySubmission submission(stage);
  std::string text = core::text_of(layout().root / "solutions" / stage / file);
  const std::string given = "int k = 0";
  const std::size_t at = text.find(given);
  ASSERT_NE(at, text.npos);
  submission.put(file, text.replace(at, given.size(), "int k = threadIdx.x"));
  Command command;
  command.arguments = {tool("tilewise"), "mend", "1", "--submission", submission.root()};
  const std::string said = run_command(command).output;
  EXPECT_THAT(said, AllOf(HasSubstr("Next: "), testing::Not(HasSubstr("blockIdx"))));
}

INSTANTIATE_TEST_SUITE_P(
    Mend, Mends,
    testing::Values(
        Mending{
            "Index", "Bs[k][tx]", "Bs[tx][k]", 0,
            "write 'sum += As[ty][k] * Bs[k][tx];' in place of 'sum += As[ty][k] * Bs[tx][k];'"},
        Mending{"Extent", "__shared__ float Bs[Tile][Tile];",
                "constexpr int half = Tile / 2;\n__shared__ float Bs[half][Tile];", 0,
                "write '__shared__ float Bs[Tile][Tile];'"},
        Mending{"OnePathOfTwo", "sum += As[ty][k] * Bs[k][tx];",
                "if (n % 2 == 0) {\nsum += As[ty][k] + Bs[k][tx];\n} else {\n"
                "sum += As[ty][k] * Bs[k][tx];\n}",
                0, "The fault is in what runs where 'n % 2 == 0' on line"},
        Mending{"Nothing", "float sum = 0.0f;", "float sum = 0.0f;", 0,
                "all tests of results, of safety and of memory pass"},
        Mending{"TooFar", "sum += As[ty][k] * Bs[k][tx];", "sum += 1.0f;", 1,
                "none mends this by itself"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace tilewise::grading
