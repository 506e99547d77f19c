#include "grading/examiner/test_end.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

/// What the running test has recorded. It is kept beside GoogleTest's own record, which holds only
/// text.
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
  // The finding may name the path that the file was compiled under, but a student knows the file
  // only by its name.
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

namespace {

std::string first_part(const std::string& output) {
  constexpr std::size_t limit = 4096;
  if (output.size() <= limit) return output;
  return output.substr(0, limit) + "\n[more output was cut here]\n";
}

}  // namespace

std::string start_event(const std::string& test) {
  return to_line(nlohmann::ordered_json{{"event", "start"}, {"name", test}});
}

std::string end_event(const TestResult& test, const std::string& output, const TimeTaken& taken) {
  return to_line(nlohmann::ordered_json{{"event", "end"},
                                        {"test", test},
                                        {"finding", nlohmann::json(test.finding)},
                                        {"output", first_part(output)},
                                        {"taken", nlohmann::json(taken)}});
}

std::string full_name(const testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

void EventListener::OnTestStart(const testing::TestInfo& test) {
  write(start_event(full_name(test)));
}

void EventListener::OnTestEnd(const testing::TestInfo& test) {
  const auto entry = std::ranges::find(entries_, full_name(test), &RubricEntry::test);
  if (entry == entries_.end()) throw std::logic_error(full_name(test) + " is not in the rubric");
  const TestEnd end = end_of(*test.result());
  write(end_event(result_of(*entry, end), end.output, TimeBudget::of_this_exam().taken()));
}

// Each line is flushed, so that a reader can show each test as it ends, and keeps the tests that
// have ended if this process is killed.
void EventListener::write(const std::string& line) {
  std::fputs((line + "\n").c_str(), stream_);
  std::fflush(stream_);
}

}  // namespace tilewise::grading
