#include "grading/report/classroom50.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "grading/report/example_grade.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::ThrowsMessage;

const Classroom50Submission submission{"gpu26",
                                       "shared-memory",
                                       "submit/2026-11-21T07-30-00Z-abc1234",
                                       "https://example.org/commit",
                                       "https://example.org/release",
                                       "https://example.org/review",
                                       "2026-11-21T07:30:00Z"};

TEST(Classroom50, IsAsRecorded) {
  GradeResult grade = example_grade();
  grade.stages[0].tests[1].hidden = true;
  const Json recorded = Json::parse(R"({
  "schema": "classroom50/result/v1", "classroom": "gpu26", "assignment": "shared-memory",
  "submission": "submit/2026-11-21T07-30-00Z-abc1234", "commit": "https://example.org/commit",
  "release": "https://example.org/release", "review": "https://example.org/review",
  "datetime": "2026-11-21T07:30:00Z", "score": 3, "max-score": 8,
  "tests": [
    {"test-name": "03_shared_memory: MatmulShared.Passes", "passed": true, "score": 3, "max-score": 3},
    {"test-name": "03_shared_memory: Hidden test 1", "passed": false, "score": 0, "max-score": 2},
    {"test-name": "03_shared_memory: MatmulShared.IsSkipped", "passed": false, "score": 0, "max-score": 0},
    {"test-name": "03_shared_memory: MatmulShared.IsInconclusive", "passed": false, "score": 0, "max-score": 2},
    {"test-name": "03_shared_memory: MatmulShared.CannotBeJudged", "passed": false, "score": 0, "max-score": 1}
  ]})");
  EXPECT_EQ(classroom50_document(grade, submission).dump(1), recorded.dump(1));
}

TEST(Classroom50, AddsUp) {
  const Json document = classroom50_document(example_grade(), submission);
  int score = 0, max_score = 0;
  for (const Json& test : document["tests"]) {
    score += test["score"].get<int>();
    max_score += test["max-score"].get<int>();
  }
  EXPECT_EQ(document["score"], score);
  EXPECT_EQ(document["max-score"], max_score);
}

class Classroom50Environment : public testing::Test {
 protected:
  static constexpr const char* names[] = {"CLASSROOM",  "ASSIGNMENT",  "SUBMISSION_TAG",
                                          "COMMIT_URL", "RELEASE_URL", "REVIEW_URL"};
  void SetUp() override {
    for (const char* name : names) setenv(name, (std::string("the ") + name).c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : names) unsetenv(name);
  }
};

TEST_F(Classroom50Environment, TellsOfTheSubmission) {
  const Classroom50Submission found = classroom50_submission();
  EXPECT_EQ(found.classroom, "the CLASSROOM");
  EXPECT_EQ(found.assignment, "the ASSIGNMENT");
  EXPECT_EQ(found.tag, "the SUBMISSION_TAG");
  EXPECT_EQ(found.commit, "the COMMIT_URL");
  EXPECT_EQ(found.release, "the RELEASE_URL");
  EXPECT_EQ(found.review, "the REVIEW_URL");
  EXPECT_THAT(found.datetime, MatchesRegex("20..-..-..T..:..:..Z"));
  unsetenv("REVIEW_URL");
  EXPECT_EQ(classroom50_submission().review, "the COMMIT_URL");
}

TEST_F(Classroom50Environment, MustBeThere) {
  for (const char* name :
       {"CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"}) {
    SetUp();
    unsetenv(name);
    EXPECT_THAT([] { classroom50_submission(); },
                ThrowsMessage<std::runtime_error>(HasSubstr(std::string(name) + " is not set")));
  }
}

}  // namespace
}  // namespace tilewise::grading
