#include "grading/progress/worklog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::time_t noon = 1'700'000'000;  // 2023-11-14T22:13:20Z

/// A grading of stage 03_c, with one test that passes or fails.
GradeResult grade(Status status, double gflops) {
  TestResult test;
  test.name = "C.ReachesMinimumGflops";
  test.status = status;
  test.max_score = 10;
  test.score = status == Status::passed ? 10 : 0;
  if (status == Status::failed) test.finding.message = "C[16][3] is 0\nand more";
  if (gflops > 0) test.measurements = {{"gflops", gflops}, {"minimum_gflops", 700}};
  GradeResult result{"simt", "gtx1080 (modelled)", 0, 0, {{"03_c", 0, 0, Status::error, {test}}}};
  add_up(result.stages[0]);
  add_up(result);
  return result;
}

GradedSources source(const std::string& text) {
  return {{"03_c/c.cu", text}, {"04_d/d.cu", "other"}};
}

class WorklogTest : public testing::Test {
 protected:
  void add(Status status, double gflops, const std::string& text) {
    add_to_worklog(root(), grade(status, gflops), source(text), noon);
  }
  const std::filesystem::path& root() const { return scratch_.path(); }

 private:
  ScratchDirectory scratch_;
};

TEST_F(WorklogTest, IsEmptyWhereNothingWasGraded) {
  EXPECT_TRUE(read_worklog(root()).entries.empty());
  EXPECT_EQ(read_worklog(root()).damaged, 0u);
}

TEST_F(WorklogTest, TellsWhatWasTriedAndWhatItGave) {
  add(Status::failed, 0, "one\ntwo\n");
  add(Status::passed, 994.04, "one\n2\n-- three\n");
  add(Status::passed, 994.04, "one\n2\n-- three\n");
  const auto entries = read_worklog(root()).entries;
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[0].time, "2023-11-14T22:13:20Z");
  EXPECT_EQ(entries[0].stage, "03_c");
  EXPECT_EQ(entries[0].status, Status::failed);
  EXPECT_EQ(entries[0].message, "C[16][3] is 0");
  EXPECT_EQ(entries[0].changes, (std::vector<SourceChange>{{"c.cu", 2, 0, ""}}));
  EXPECT_EQ(entries[1].changes,
            (std::vector<SourceChange>{{"c.cu", 2, 1, "@@ -2 +2,2 @@\n-two\n+2\n+-- three\n"}}));
  EXPECT_EQ(entries[1].score, 10);
  EXPECT_EQ(entries[1].message, "");
  EXPECT_EQ(entries[1].rates.at("C.ReachesMinimumGflops"),
            (std::vector<MeasuredRate>{{"gflops", 994.04}}));
  EXPECT_TRUE(entries[2].changes.empty());
}

TEST_F(WorklogTest, IsATableOfOneStageOrAll) {
  add(Status::failed, 0, "one\n");
  add(Status::passed, 994.04, "two\n");
  const std::string table = worklog_table(read_worklog(root()), "03_c");
  EXPECT_THAT(
      table,
      HasSubstr("2023-11-14 22:13  03_c                  +1 -0         failed          0/10\n"));
  EXPECT_THAT(table, HasSubstr("+1 -1         passed         10/10    994.0 GFLOPS\n"));
  EXPECT_EQ(worklog_table(read_worklog(root()), ""), table);
  EXPECT_THAT(worklog_table(read_worklog(root()), "04_d"), Not(HasSubstr("03_c")));
}

TEST_F(WorklogTest, LeavesOutWhatCannotBeRead) {
  add(Status::passed, 994.04, "one\n");
  const std::string line = text_of(worklog_file(root()));
  std::ofstream(worklog_file(root())) << "{\"schema\": \"tilewise/worklog/v1\"}\n"
                                      << line.substr(0, 40) << "\n\xff\n[]\n\n"
                                      << line;
  const Worklog log = read_worklog(root());
  EXPECT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.damaged, 4u);
}

TEST_F(WorklogTest, DropsTheOlderHalfOfALongFile) {
  add(Status::passed, 1, "one\n");
  const std::string old_line(1000, 'x');
  std::ofstream file(worklog_file(root()), std::ios::app);
  for (int i = 0; i < 1200; ++i) file << old_line << '\n';
  file.close();
  add(Status::passed, 994.04, "two\n");
  EXPECT_LT(std::filesystem::file_size(worklog_file(root())), 700'000u);
  const Worklog log = read_worklog(root());
  ASSERT_EQ(log.entries.size(), 1u);
  EXPECT_EQ(log.entries[0].rates.at("C.ReachesMinimumGflops")[0].value, 994.04);
}

TEST_F(WorklogTest, KeepsLongChangesShort) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  add(Status::failed, 0, "one\n");
  add(Status::failed, 0, text);
  const SourceChange change = read_worklog(root()).entries[1].changes.at(0);
  EXPECT_EQ(change.added, 1000u);
  EXPECT_EQ(change.removed, 1u);
  EXPECT_EQ(std::ranges::count(change.diff, '\n'), 24);
}

TEST_F(WorklogTest, TellsNothingOfHiddenTests) {
  GradeResult result = grade(Status::failed, 500);
  result.stages[0].tests[0].hidden = true;
  add_to_worklog(root(), result, source("one\n"), noon);
  const std::string text = text_of(worklog_file(root()));
  EXPECT_THAT(text, Not(HasSubstr("ReachesMinimum")));
  EXPECT_THAT(text, Not(HasSubstr("C[16][3]")));
}

TEST_F(WorklogTest, SaysWhereItCannotBeWritten) {
  std::filesystem::create_directories(worklog_file(root()));
  EXPECT_THROW(add(Status::passed, 1, "one\n"), CannotGrade);
}

TEST_F(WorklogTest, IsAPageToHandIn) {
  add(Status::failed, 0, "one\n");
  add(Status::passed, 900, "one\n<two>\n");
  add(Status::passed, 994.04, "one\n<three>\n");
  Worklog log = read_worklog(root());
  log.damaged = 2;
  const std::string page = worklog_page(log, "", {{"03_c", "Stage 3: tiles"}});
  EXPECT_THAT(page, HasSubstr(">Stage 3: tiles</h2>"));
  EXPECT_THAT(page, HasSubstr("2 lines of the log could not be read"));
  EXPECT_THAT(page, HasSubstr("+&lt;three>"));
  EXPECT_THAT(page, HasSubstr("GFLOPS by grading"));
  EXPECT_THAT(page, HasSubstr("C[16][3] is 0"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace tilewise::grading
