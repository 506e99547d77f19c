#include "grading/report/feedback.hpp"

#include <gtest/gtest.h>

#include "grading/report/example_grade.hpp"

namespace tilewise::grading {
namespace {

TEST(Feedback, SaysWhereWhatAndWhatNext) {
  const auto tests = example_grade().stages[0].tests;
  EXPECT_EQ(feedback(tests[0]), "");
  EXPECT_EQ(feedback(tests[1]),
            "matmul_shared.cu:31\nC[3][5] is \"1.25\" & <wrong>\nblock (0, 0)\n"
            "Hint: look at the \033[31medges\n");
  EXPECT_EQ(feedback(tests[2]), "needs a GPU\n");
}

TEST(Feedback, TellsNothingOfHiddenTestsButTheirPoints) {
  GradeResult grade = example_grade();
  auto& tests = grade.stages[0].tests;
  tests[0].hidden = tests[1].hidden = tests[4].hidden = true;
  const auto shown = without_hidden(grade).stages[0].tests;
  ASSERT_EQ(shown.size(), tests.size());
  for (const auto& [index, name] :
       {std::pair(0, "Hidden test 1"), {1, "Hidden test 2"}, {4, "Hidden test 3"}}) {
    TestResult expected;
    expected.name = name;
    expected.category = tests[index].category;
    expected.status = tests[index].status;
    expected.score = tests[index].score;
    expected.max_score = tests[index].max_score;
    expected.hidden = true;
    EXPECT_EQ(shown[index], expected) << name;
  }
  for (const int index : {2, 3}) EXPECT_EQ(shown[index], tests[index]);
}

}  // namespace
}  // namespace tilewise::grading
