#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "grading/builder/layout.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"
#include "grading/results/files.hpp"

// What a learner types, on a course of their own.
namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Runs a command that is to succeed; what it says.
std::string said(const TemporaryCourse& course, std::vector<std::string> arguments,
                 int status = 0) {
  const CommandResult run = course.tilewise(std::move(arguments));
  EXPECT_EQ(run.status, status) << run.output;
  return run.output;
}

TEST(Learner, IsLedFromTheFirstStageToTheSecond) {
  const TemporaryCourse course;
  EXPECT_THAT(said(course, {}), StartsWith("Welcome"));

  std::string text = said(course, {"grade", "1", "--backend", "simt", "--seed", "7"}, 1);
  EXPECT_THAT(text, HasSubstr("Stuck? ./lab hint\n"));
  const auto failure = progress_of(read_progress(course.root()), "01_single_block").last_failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->test, "MatmulSingleBlock.IsRightWhenTheBlockDividesN");
  EXPECT_EQ(failure->seed, 7u);

  EXPECT_THAT(said(course, {}), AllOf(HasSubstr("failed  MatmulSingleBlock.IsRight"),
                                      HasSubstr("edit    labs/01_single_block/")));
  text = said(course, {"hint"});
  EXPECT_THAT(text, AllOf(StartsWith("MatmulSingleBlock.IsRightWhenTheBlockDividesN failed\n"),
                          HasSubstr("Still to be written: labs/01_single_block/")));
  EXPECT_THAT(said(course, {"hint", "1"}), StartsWith("matmul_single_block, hint 1 of 3: Idea"));
  EXPECT_THAT(said(course, {"hint"}), StartsWith("matmul_single_block, hint 2 of 3: Steps"));

  course.solve("01_single_block");
  text = said(course, {"grade", "1", "--backend", "simt"});
  EXPECT_THAT(text, HasSubstr("What comes next: ./lab next\n"));
  EXPECT_THAT(said(course, {"status"}),
              AllOf(HasSubstr("> 01_single_block        10/10  passed"),
                    HasSubstr(" GFLOPS on gtx1080 (modelled)"),
                    HasSubstr("1 of " + std::to_string(stages().size()) + " passed")));
  EXPECT_THAT(said(course, {"next"}), AllOf(HasSubstr("labs/02_multi_block_grid/README.md"),
                                            Not(HasSubstr("has not passed"))));
  EXPECT_EQ(read_progress(course.root()).current, "02_multi_block_grid");

  // Beginning anew keeps the record and the work.
  text = said(course, {"reset", "1"});
  std::smatch backup;
  ASSERT_TRUE(std::regex_search(text, backup, std::regex("what it held is in (.*)\n"))) << text;
  const std::string source = "matmul_single_block.cu";
  EXPECT_EQ(text_of(course.root() / backup[1].str()),
            text_of(layout().root / "solutions/01_single_block" / source));
  EXPECT_THAT(text_of(course.lab("01_single_block", source)), HasSubstr("TODO(lab)"));
  EXPECT_THAT(said(course, {"status"}),
              HasSubstr("> 01_single_block         0/10  not graded yet  "));
}

TEST(Learner, KeepsTheProgressOfOnesOwnKernelsOnly) {
  const TemporaryCourse course;
  // What does not compile is graded soonest.
  for (const char* folder : {"labs", "solutions"}) {
    std::ofstream(course.root() / folder / "01_single_block/matmul_single_block.cu") << "int x = 1";
  }
  said(course, {"grade", "1", "--solutions", "--backend", "simt"}, 1);
  said(course, {"grade", "1", "--submission", course.root(), "--backend", "simt"}, 1);
  EXPECT_FALSE(fs::exists(progress_file(course.root())));
}

TEST(Learner, IsToldThatTheProgressIsDamaged) {
  const TemporaryCourse course;
  std::ofstream(progress_file(course.root())) << "{";
  const std::vector<std::string> cases[] = {{},       {"status"},     {"next"},
                                            {"hint"}, {"reset", "1"}, {"grade", "1"}};
  for (const auto& arguments : cases) {
    EXPECT_THAT(said(course, arguments, 2),
                AllOf(StartsWith("tilewise: "), HasSubstr("progress.json is damaged"),
                      HasSubstr("Move it away")));
  }
  EXPECT_EQ(text_of(progress_file(course.root())), "{");
  said(course, {"list"});  // scripts need no progress
}

TEST(Learner, IsToldWhatIsWrongWithACommand) {
  const TemporaryCourse course;
  const struct {
    std::vector<std::string> arguments;
    const char* message;
  } cases[] = {
      {{"hint", "99"}, "there is no stage '99'"},
      {{"reset"}, "STAGE is required"},
      {{"reset", "99"}, "there is no stage '99'"},
      {{"next", "3"}, "3"},
      {{"watch", "99"}, "watch needs a terminal to draw on; without one use ./lab grade"},
  };
  for (const auto& [arguments, message] : cases) {
    EXPECT_THAT(said(course, arguments, 2), HasSubstr(message));
  }
}

TEST(List, IsForScriptsInAPipe) {
  const TemporaryCourse course;
  std::istringstream lines(said(course, {"list"}));
  std::size_t count = 0;
  for (std::string id, rest; lines >> id && std::getline(lines, rest); ++count) {
    ASSERT_LT(count, stages().size());
    EXPECT_EQ(id, stages()[count].id);
  }
  EXPECT_EQ(count, stages().size());
}

}  // namespace
}  // namespace tilewise::grading
