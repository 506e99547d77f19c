#include "grading/examiner/outcome.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

const RubricEntry entry{"MatmulGrid.IsRight", Category::safety, 3};

TEST(Outcome, OfAPassedTestScoresItsPoints) {
  const TestResult result = result_of(entry, {});
  EXPECT_EQ(result.name, "MatmulGrid.IsRight");
  EXPECT_EQ(result.category, Category::safety);
  EXPECT_EQ(result.status, Status::passed);
  EXPECT_EQ(result.score, 3);
  EXPECT_EQ(result.max_score, 3);
}

TEST(Outcome, OfASkippedTestCostsNothing) {
  const TestResult result = result_of(entry, {.skipped = true});
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 0);
}

TEST(Outcome, OfAFailureNobodyExplainedIsTheGradersFault) {
  const TestResult result = result_of(entry, {.failed = true, .failures = {"std::bad_alloc"}});
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.message, "The grader itself failed: std::bad_alloc");
}

// What is recorded here, in a test that passes, is read back from GoogleTest's own record of it.
TEST(Outcome, CarriesWhatATestRecorded) {
  const FailurePlace place{.call = "f(n=1)", .block = {{1, 2, 3}}, .thread = {{4, 5, 6}}};
  record_finding({.message = "first", .hint = "to be replaced"});
  record_finding(
      {.message = "C[0][0] is 1", .hint = "look", .file = "a.cu", .line = 7, .place = place});
  record_measurement("gflops", 1.0 / 3);
  record_output("printed\n");
  TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
  EXPECT_FALSE(end.failed);
  end.failed = true;
  const TestResult result = result_of(entry, end);
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.message, "C[0][0] is 1");
  EXPECT_EQ(result.hint, "look");
  EXPECT_EQ(result.file, "a.cu");
  EXPECT_EQ(result.line, 7);
  EXPECT_EQ(result.place, place);
  EXPECT_EQ(result.measurements, (std::map<std::string, double>{{"gflops", 1.0 / 3}}));
  EXPECT_EQ(output_of(end), "printed\n");
}

TEST(Outcome, KeepsTheStatusAFindingNames) {
  for (const Status status : {Status::inconclusive, Status::error, Status::failed}) {
    record_finding({.message = "noisy", .status = status});
    TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
    end.failed = true;
    EXPECT_EQ(result_of(entry, end).status, status);
    EXPECT_EQ(result_of(entry, end).score, 0);
  }
}

}  // namespace
}  // namespace tilewise::grading
