#include "grading/cli/exam.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "grading/builder/layout.hpp"
#include "grading/cli/stage_grading.hpp"
#include "grading/cli/test/temporary_submission.hpp"
#include "grading/results/files.hpp"

// Tests what is reported of tests that run side by side, and when.
namespace tilewise::grading {
namespace {

constexpr const char* stage = "01_single_block";

/// Returns the solution with a word of its text replaced.
std::string solution(const std::string& word = "", const std::string& by = "") {
  std::string text = text_of(layout().root / "solutions" / stage / "matmul_single_block.cu");
  if (!word.empty()) text.replace(text.rfind(word), word.size(), by);
  return text;
}

/// Grades a submission, and returns its tests in the order in which they were reported.
std::vector<TestResult> told_of(const std::string& text, StageResult& result) {
  TemporarySubmission submission(stage);
  submission.put("matmul_single_block.cu", text);
  std::vector<TestResult> told;
  StageListener listener;
  listener.exam.test_ended = [&](const TestResult& test, const std::string&) {
    told.push_back(test);
  };
  const ExamConditions conditions{.gpu = "gtx1080", .seed = 20};
  result = grade_stage(
      {stage, submission.stage_folder(), conditions, load_rubric(layout().root).at(stage)},
      listener);
  return told;
}

std::vector<std::string> names_of(const std::vector<TestResult>& tests) {
  std::vector<std::string> names;
  for (const TestResult& test : tests) names.push_back(test.name);
  return names;
}

std::vector<std::string> names_of_rubric() {
  std::vector<std::string> names;
  const Rubric rubric = load_rubric(layout().root);
  for (const RubricEntry& entry : rubric.at(stage)) names.push_back(entry.test);
  return names;
}

TEST(Exam, TellsWhatPassedInTheOrderOfTheRubric) {
  StageResult result;
  EXPECT_EQ(names_of(told_of(solution(), result)), names_of_rubric());
  EXPECT_EQ(result.status, Status::passed);
}

TEST(Exam, TellsEachFailureOnceAndKeepsTheOrderOfResults) {
  StageResult result;
  // This submission refuses nothing, so that one test fails soon; its report need not wait for the
  // tests before it.
  const std::vector<TestResult> told =
      told_of(solution("n < 0 || !is_block(block)", "false"), result);
  EXPECT_THAT(names_of(told), testing::UnorderedElementsAreArray(names_of_rubric()));
  EXPECT_EQ(names_of(result.tests), names_of_rubric());
  EXPECT_EQ(result.status, Status::failed);
  std::vector<TestResult> passed;
  std::ranges::copy_if(told, std::back_inserter(passed),
                       [](const TestResult& test) { return test.status == Status::passed; });
  std::vector<std::string> in_order = names_of_rubric();
  std::erase_if(in_order, [&](const std::string& name) {
    return std::ranges::find(passed, name, &TestResult::name) == passed.end();
  });
  EXPECT_EQ(names_of(passed), in_order);
}

}  // namespace
}  // namespace tilewise::grading
