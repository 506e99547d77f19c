#include "grading/results/terminal.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "grading/results/test/example_grade.hpp"

namespace tilewise::grading {
namespace {

std::string report_on_example(TerminalStyle style) {
  std::ostringstream out;
  TerminalReport report(out, style);
  const GradeResult grade = example_grade();
  report.begin_stage(grade.stages[0].id);
  report.show_progress("compiling");
  for (const TestResult& test : grade.stages[0].tests) {
    report.show_progress(test.name);
    report.print_test(test);
  }
  report.print_causes(grade.stages[0], {{"MatmulShared.Fails", "i = 1\r\n\033]0;title\n"}});
  report.print_summary(grade, 42);
  return out.str();
}

TEST(TerminalReport, IsPlainTextWhenNotOnATerminal) {
  EXPECT_EQ(report_on_example({}),
            R"(03_shared_memory
  passed         3/3  MatmulShared.Passes  gflops 994.2
  failed         0/2  MatmulShared.Fails
  skipped          -  MatmulShared.IsSkipped
  inconclusive   0/2  MatmulShared.IsInconclusive
  error          0/1  MatmulShared.CannotBeJudged

  failed MatmulShared.Fails
      matmul_shared.cu:31
      C[3][5] is "1.25" & <wrong>
      block (0, 0)
      Next: look at the \x1b[31medges

  error MatmulShared.CannotBeJudged
      matmul_shared.cu
      ]]> no worker

  inconclusive MatmulShared.IsInconclusive
      the card was throttled
      Next: try again

  skipped MatmulShared.IsSkipped
      needs a GPU

      Your code printed in MatmulShared.Fails:
      | i = 1
      | \x1b]0;title

Stage              Tests   Points
03_shared_memory     1/4      3/8  failed
Total                         3/8

Graded on gtx1080 (modelled), backend simt. The same inputs again: --seed 42
)");
}

TEST(TerminalReport, SaysWhatATestThatPassedHasToSayAndWhatItPrinted) {
  std::ostringstream out;
  StageResult stage = example_grade().stages[0];
  stage.tests.resize(1);
  stage.tests[0].finding.message = "994 GFLOPS (modelled)";
  TerminalReport report(out, {});
  report.print_test(stage.tests[0]);
  report.print_causes(stage, {{"MatmulShared.Passes", "i = 1\n"}});
  EXPECT_EQ(out.str(),
            "  passed         3/3  MatmulShared.Passes  gflops 994.2\n"
            "      994 GFLOPS (modelled)\n"
            "\n      Your code printed in MatmulShared.Passes:\n      | i = 1\n");
}

TEST(TerminalReport, ColoursOnlyTheStatusAndHeadings) {
  const std::string text = report_on_example({.colours = true, .progress = false});
  EXPECT_NE(text.find("\033[1m03_shared_memory\033[0m"), std::string::npos);
  EXPECT_NE(text.find("  \033[32mpassed      \033[0m   3/3  MatmulShared.Passes"),
            std::string::npos);
  EXPECT_NE(text.find("\033[31mfailed      \033[0m"), std::string::npos);
  EXPECT_NE(text.find("\033[33mskipped     \033[0m"), std::string::npos);
}

TEST(TerminalReport, ProgressGoesBeforeTheNextLineComes) {
  const std::string text = report_on_example({.colours = false, .progress = true});
  EXPECT_NE(text.find("  compiling ...\r\033[K  MatmulShared.Passes ...\r\033[K  passed"),
            std::string::npos);
}

TEST(TerminalReport, ShowsHowMuchIsDone) {
  const auto shown = [](std::size_t done, std::size_t total, bool progress) {
    std::ostringstream out;
    TerminalReport(out, {.colours = false, .progress = progress})
        .show_progress("f(n=8)", done, total);
    return out.str();
  };
  EXPECT_EQ(shown(0, 8, true), "  [                    ] 0/8 f(n=8) ...");
  EXPECT_EQ(shown(2, 8, true), "  [=====               ] 2/8 f(n=8) ...");
  EXPECT_EQ(shown(8, 8, true), "  [====================] 8/8 f(n=8) ...");
  EXPECT_EQ(shown(0, 0, true), "  [                    ] 0/0 f(n=8) ...");
  EXPECT_EQ(shown(1, 8, false), "") << "no terminal";
}

TEST(TerminalReport, ExplainsAStageOnce) {
  std::ostringstream out;
  TerminalReport report(out, {});
  report.explain_stage(
      {.message = "expected ';'", .hint = "read the first error first", .file = "a.cu", .line = 3});
  report.print_test(example_grade().stages[0].tests[4]);
  EXPECT_EQ(out.str(),
            "      a.cu:3\n"
            "      expected ';'\n"
            "      Next: read the first error first\n"
            "  error          0/1  MatmulShared.CannotBeJudged\n");
}

TEST(TerminalReport, BreaksLongLinesAtBlanks) {
  const std::string word(30, 'w'), four_words = word + ' ' + word + ' ' + word + ' ' + word;
  std::ostringstream out;
  TerminalReport(out, {}).explain_stage(
      {.message = four_words + "\n " + four_words, .hint = std::string(200, 'x')});
  EXPECT_EQ(out.str(), "      " + word + ' ' + word + ' ' + word + "\n      " + word + "\n       " +
                           four_words + "\n      Next:\n      " + std::string(200, 'x') + "\n");
}

}  // namespace
}  // namespace tilewise::grading
