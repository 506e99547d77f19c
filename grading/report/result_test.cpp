#include "grading/report/result.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace tilewise::grading {
namespace {

TestResult test_with(Status status, int score, int max_score) {
  TestResult test;
  test.status = status;
  test.score = score;
  test.max_score = max_score;
  return test;
}

TEST(Result, WordsReadBackAsWritten) {
  for (const Status status :
       {Status::passed, Status::failed, Status::skipped, Status::inconclusive, Status::error}) {
    EXPECT_EQ(status_from_string(to_string(status)), status);
  }
  for (const Category category :
       {Category::correctness, Category::safety, Category::memory, Category::performance}) {
    EXPECT_EQ(category_from_string(to_string(category)), category);
  }
}

TEST(Result, RefusesUnknownWords) {
  EXPECT_THROW(status_from_string("fine"), std::invalid_argument);
  EXPECT_THROW(category_from_string(""), std::invalid_argument);
}

TEST(Result, AStagePassesOnlyIfAllThatCountsPassed) {
  const TestResult passed = test_with(Status::passed, 3, 3);
  const struct {
    std::vector<TestResult> tests;
    Status status;
    int score, max_score;
  } cases[] = {
      {{}, Status::failed, 0, 0},
      {{passed}, Status::passed, 3, 3},
      {{passed, test_with(Status::skipped, 0, 0)}, Status::passed, 3, 3},
      {{passed, test_with(Status::failed, 0, 2)}, Status::failed, 3, 5},
      {{passed, test_with(Status::failed, 0, 0)}, Status::failed, 3, 3},
      {{passed, test_with(Status::inconclusive, 0, 2)}, Status::failed, 3, 5},
      {{passed, test_with(Status::inconclusive, 0, 0)}, Status::passed, 3, 3},
      {{passed, test_with(Status::error, 0, 2)}, Status::failed, 3, 5},
  };
  for (const auto& expected : cases) {
    StageResult stage;
    stage.tests = expected.tests;
    add_up(stage);
    EXPECT_EQ(stage.status, expected.status);
    EXPECT_EQ(stage.score, expected.score);
    EXPECT_EQ(stage.max_score, expected.max_score);
  }
}

TEST(Result, AGradeSumsItsStages) {
  GradeResult grade;
  EXPECT_FALSE(all_passed(grade)) << "nothing graded is not a pass";
  grade.stages = {{"01", 3, 10, Status::passed, {}}, {"02", 4, 10, Status::passed, {}}};
  add_up(grade);
  EXPECT_EQ(grade.score, 7);
  EXPECT_EQ(grade.max_score, 20);
  EXPECT_TRUE(all_passed(grade));
  grade.stages[1].status = Status::error;
  EXPECT_FALSE(all_passed(grade));
}

}  // namespace
}  // namespace tilewise::grading
