#include "grading/report/feedback.hpp"

#include <fmt/format.h>

namespace tilewise::grading {

std::string feedback(const TestResult& test) {
  std::string text;
  if (!test.file.empty()) {
    text += test.line > 0 ? fmt::format("{}:{}\n", test.file, test.line) : test.file + "\n";
  }
  if (!test.message.empty()) text += test.message + "\n";
  if (!test.hint.empty()) text += "Hint: " + test.hint + "\n";
  return text;
}

TestResult without_secrets(const TestResult& test, int number) {
  TestResult shown;
  shown.name = fmt::format("Hidden test {}", number);
  shown.category = test.category;
  shown.status = test.status;
  shown.score = test.score;
  shown.max_score = test.max_score;
  shown.hidden = true;
  return shown;
}

GradeResult without_hidden(GradeResult grade) {
  for (StageResult& stage : grade.stages) {
    int number = 0;
    for (TestResult& test : stage.tests) {
      if (test.hidden) test = without_secrets(test, ++number);
    }
  }
  return grade;
}

}  // namespace tilewise::grading
