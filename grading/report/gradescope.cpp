#include "grading/report/gradescope.hpp"

#include <fmt/format.h>

#include "grading/report/feedback.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::ordered_json;

Json test_document(const StageResult& stage, const TestResult& test) {
  Json document = {{"name", printable(fmt::format("{}: {}", stage.id, test.name))},
                   {"score", test.score},
                   {"max_score", test.max_score}};
  // Gradescope knows passed and failed; without a status it goes by the points.
  if (test.max_score > 0) {
    document["status"] = test.status == Status::passed ? "passed" : "failed";
  }
  std::string output = feedback(test);
  if (test.status == Status::skipped || test.status == Status::inconclusive ||
      test.status == Status::error) {
    output = fmt::format("{}: {}", to_string(test.status), output);
  }
  document["output"] = printable(output);
  document["output_format"] = "text";
  document["tags"] = {to_string(test.category)};
  document["visibility"] = test.hidden ? "hidden" : "visible";
  return document;
}

}  // namespace

Json gradescope_document(const GradeResult& grade, double seconds) {
  Json tests = Json::array();
  for (const StageResult& stage : grade.stages) {
    for (const TestResult& test : stage.tests) tests.push_back(test_document(stage, test));
  }
  return {{"score", grade.score},
          {"execution_time", seconds},
          {"output", printable(fmt::format("Graded on {}.", grade.device))},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"stdout_visibility", "hidden"},
          {"tests", tests}};
}

Json gradescope_document(const std::string& why) {
  return {{"score", 0},
          {"output", printable(why)},
          {"output_format", "text"},
          {"visibility", "visible"},
          {"stdout_visibility", "hidden"},
          {"tests", Json::array()}};
}

}  // namespace tilewise::grading
