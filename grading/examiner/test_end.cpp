#include "grading/examiner/test_end.hpp"

#include <filesystem>
#include <utility>

namespace tilewise::grading {
namespace {

/// What the running test has recorded. Beside GoogleTest's own record, which holds text alone.
TestEnd& record() {
  static std::pair<const testing::TestInfo*, TestEnd> last;
  const testing::TestInfo* const running = testing::UnitTest::GetInstance()->current_test_info();
  if (last.first != running) last = {running, {}};
  return last.second;
}

Status status_of(const TestEnd& end) {
  if (end.skipped) return Status::skipped;
  if (!end.failed) return Status::passed;
  return end.verdict ? end.verdict->status : Status::error;
}

}  // namespace

void record_verdict(const Verdict& verdict) {
  record().verdict = verdict;
  // Whoever found it may know the path it was compiled under; a student knows one file's name.
  for (std::string* file : {&record().verdict->file, &record().verdict->other_file}) {
    *file = std::filesystem::path(*file).filename().string();
  }
}

void record_measurement(const std::string& name, double value) {
  record().measurements[name] = value;
}

void record_output(const std::string& output) { record().output = output; }

TestEnd end_of(const testing::TestResult& result) {
  TestEnd end = record();
  end.failed = result.Failed();
  end.skipped = result.Skipped();
  for (int i = 0; i < result.total_part_count(); ++i) {
    const testing::TestPartResult& part = result.GetTestPartResult(i);
    if (part.failed()) end.failures.emplace_back(part.message());
  }
  return end;
}

TestResult result_of(const RubricEntry& entry, const TestEnd& end) {
  TestResult result;
  result.name = entry.test;
  result.category = entry.category;
  result.hidden = entry.hidden;
  result.status = status_of(end);
  result.max_score = result.status == Status::skipped ? 0 : entry.points;
  result.score = result.status == Status::passed ? entry.points : 0;
  if (end.verdict) result.finding = *end.verdict;
  if (result.status == Status::error && result.finding.message.empty() && !end.failures.empty()) {
    result.finding.message = "The grader itself failed: " + end.failures.front();
  }
  result.measurements = end.measurements;
  return result;
}

}  // namespace tilewise::grading
