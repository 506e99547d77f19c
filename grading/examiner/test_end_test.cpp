#include "grading/examiner/test_end.hpp"

#include <gtest/gtest.h>

namespace tilewise::grading {
namespace {

const RubricEntry entry{"MatmulGrid.IsRight", Category::safety, 3};

TEST(TestEnd, OfAPassedTestScoresItsPoints) {
  const TestResult result = result_of(entry, {});
  EXPECT_EQ(result.name, "MatmulGrid.IsRight");
  EXPECT_EQ(result.category, Category::safety);
  EXPECT_EQ(result.status, Status::passed);
  EXPECT_EQ(result.score, 3);
  EXPECT_EQ(result.max_score, 3);
}

TEST(TestEnd, OfASkippedTestCostsNothing) {
  const TestResult result = result_of(entry, {.skipped = true});
  EXPECT_EQ(result.status, Status::skipped);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 0);
}

TEST(TestEnd, OfAFailureNobodyExplainedIsTheGradersFault) {
  const TestResult result = result_of(entry, {.failed = true, .failures = {"std::bad_alloc"}});
  EXPECT_EQ(result.status, Status::error);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.finding.message, "The grader itself failed: std::bad_alloc");
}

// What is recorded here, in a test that passes, is read back as that of one that failed.
TEST(TestEnd, CarriesWhatATestRecorded) {
  const Finding finding{.message = "C[0][0] is 1",
                        .hint = "look",
                        .file = "a.cu",
                        .line = 7,
                        .place = ThreadOfGrid{{1, 2, 3}, {4, 5, 6}},
                        .call = "f(n=1)"};
  record_verdict({{.message = "first", .hint = "to be replaced"}});
  record_verdict({finding});
  record_measurement("gflops", 1.0 / 3);
  record_output("printed\n");
  TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
  EXPECT_FALSE(end.failed);
  end.failed = true;
  const TestResult result = result_of(entry, end);
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.score, 0);
  EXPECT_EQ(result.max_score, 3);
  EXPECT_EQ(result.finding, finding);
  EXPECT_EQ(result.measurements, (std::map<std::string, double>{{"gflops", 1.0 / 3}}));
  EXPECT_EQ(end.output, "printed\n");
}

TEST(TestEnd, NamesFilesWithoutTheirFolders) {
  record_verdict({{.file = "/tmp/build/a.cu", .other_file = "/tmp/build/b.hpp"}});
  const TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
  EXPECT_EQ(end.verdict->file, "a.cu");
  EXPECT_EQ(end.verdict->other_file, "b.hpp");
}

TEST(TestEnd, KeepsTheStatusAFindingNames) {
  for (const Status status : {Status::inconclusive, Status::error, Status::failed}) {
    record_verdict({{.message = "noisy"}, status});
    TestEnd end = end_of(*testing::UnitTest::GetInstance()->current_test_info()->result());
    end.failed = true;
    EXPECT_EQ(result_of(entry, end).status, status);
    EXPECT_EQ(result_of(entry, end).score, 0);
  }
}

}  // namespace
}  // namespace tilewise::grading
