#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/examiner/time_budget.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// A finding, and the status that it gives the test.
struct Verdict : Finding {
  Status status = Status::failed;
};

/// These functions record what the running test leaves behind for its result. Call them inside of a
/// test. If there are several verdicts, the last one counts.
void record_verdict(const Verdict& verdict);
void record_measurement(const std::string& name, double value);
void record_output(const std::string& output);

/// How a test ended.
struct TestEnd {
  bool failed = false;
  bool skipped = false;
  std::vector<std::string> failures = {};  ///< messages of failed assertions
  std::optional<Verdict> verdict = {};
  std::map<std::string, double> measurements = {};
  std::string output = {};  ///< what the student's code printed during the test
};

/// Returns how the running test ended, or what is known of it by now.
/// @param result  GoogleTest's result of the test
TestEnd end_of(const testing::TestResult& result);

/// Returns the result to report. A failure that nobody recorded a verdict for is a fault of the
/// grader's own and has the status `error`.
TestResult result_of(const RubricEntry& entry, const TestEnd& end);

/// Returns one line, without its line break, that announces the start of a test:
/// {"event":"start","name":"MatmulShared.IsRightAtRaggedEdges"}.
std::string start_event(const std::string& test);

/// Returns one line, without its line break, that announces the end of a test:
/// {"event":"end","test":{...},"finding":{...},"output":"...","taken":{...}}.
/// It has the test as in tilewise/result/v1, all of its finding, the first 4 KiB that the student's
/// code printed, and what the calls have taken by then.
std::string end_event(const TestResult& test, const std::string& output, const TimeTaken& taken);

/// Writes an event line as each test starts and ends.
class EventListener : public testing::EmptyTestEventListener {
 public:
  /// `stream` stays the caller's; `entries` must hold every test that will run.
  EventListener(std::FILE* stream, std::vector<RubricEntry> entries)
      : stream_(stream), entries_(std::move(entries)) {}

  void OnTestStart(const testing::TestInfo& test) override;
  void OnTestEnd(const testing::TestInfo& test) override;

 private:
  void write(const std::string& line);

  std::FILE* stream_;
  std::vector<RubricEntry> entries_;
};

/// Returns "Suite.Test", as rubrics name tests.
std::string full_name(const testing::TestInfo& test);

}  // namespace tilewise::grading
