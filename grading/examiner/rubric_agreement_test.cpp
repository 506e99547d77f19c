// The rubric and the graders agree. This binary holds every grader, and runs none of them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/base/files.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/examiner/test_end.hpp"

namespace tilewise::grading {
namespace {

constexpr const char* this_suite = "RubricAgreement";

// All graders' tests, in the order they are registered and run.
std::vector<std::string> registered_tests() {
  std::vector<std::string> names;
  const auto& unit_test = *testing::UnitTest::GetInstance();
  for (int i = 0; i < unit_test.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *unit_test.GetTestSuite(i);
    if (std::string(suite.name()) == this_suite) continue;
    for (int j = 0; j < suite.total_test_count(); ++j) {
      names.push_back(full_name(*suite.GetTestInfo(j)));
    }
  }
  return names;
}

Rubric rubric() { return load_rubric(core::project_root()); }

TEST(RubricAgreement, EveryTestIsInTheRubricAndEveryEntryIsATest) {
  std::vector<std::string> listed;
  for (const auto& [stage, entries] : rubric()) {
    for (const RubricEntry& entry : entries) listed.push_back(entry.test);
  }
  EXPECT_FALSE(listed.empty());
  EXPECT_THAT(listed, testing::UnorderedElementsAreArray(registered_tests()));
}

}  // namespace
}  // namespace tilewise::grading

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  GTEST_FLAG_SET(filter, std::string(tilewise::grading::this_suite) + ".*");
  return RUN_ALL_TESTS();
}
