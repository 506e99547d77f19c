#include "grading/report/classroom50.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <stdexcept>

#include "grading/report/feedback.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string demanded(const char* name) {
  std::string value = variable(name);
  if (value.empty()) {
    throw std::runtime_error(fmt::format(
        "{} is not set: --classroom50 is for a runner of Classroom 50, which sets it", name));
  }
  return value;
}

}  // namespace

Classroom50Submission classroom50_submission() {
  Classroom50Submission submission;
  submission.classroom = demanded("CLASSROOM");
  submission.assignment = demanded("ASSIGNMENT");
  submission.tag = demanded("SUBMISSION_TAG");
  submission.commit = demanded("COMMIT_URL");
  submission.release = demanded("RELEASE_URL");
  submission.review = variable("REVIEW_URL");
  if (submission.review.empty()) submission.review = submission.commit;
  submission.datetime = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return submission;
}

nlohmann::ordered_json classroom50_document(const GradeResult& grade,
                                            const Classroom50Submission& submission) {
  nlohmann::ordered_json tests = nlohmann::ordered_json::array();
  for (const StageResult& stage : without_hidden(grade).stages) {
    for (const TestResult& test : stage.tests) {
      tests.push_back({{"test-name", printable(fmt::format("{}: {}", stage.id, test.name))},
                       {"passed", test.status == Status::passed},
                       {"score", test.score},
                       {"max-score", test.max_score}});
    }
  }
  return {{"schema", "classroom50/result/v1"},
          {"classroom", submission.classroom},
          {"assignment", submission.assignment},
          {"submission", submission.tag},
          {"commit", submission.commit},
          {"release", submission.release},
          {"review", submission.review},
          {"datetime", submission.datetime},
          {"score", grade.score},
          {"max-score", grade.max_score},
          {"tests", tests}};
}

}  // namespace tilewise::grading
