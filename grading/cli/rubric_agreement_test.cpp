// Tests that the rubric and the graders agree.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "common/base/files.hpp"
#include "grading/cli/rubric_check.hpp"
#include "grading/examiner/rubric.hpp"

namespace tilewise::grading {
namespace {

TEST(RubricAgreement, EveryTestIsInTheRubricAndEveryEntryIsATest) {
  const Rubric rubric = load_rubric(core::project_root());
  EXPECT_FALSE(rubric.empty());
  for (const auto& [stage, entries] : rubric) {
    std::vector<std::string> listed;
    for (const RubricEntry& entry : entries) listed.push_back(entry.test);
    EXPECT_THAT(listed, testing::UnorderedElementsAreArray(tests_of_grader(stage))) << stage;
  }
}

}  // namespace
}  // namespace tilewise::grading
