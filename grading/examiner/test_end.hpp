#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/core/finding.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// A finding, and what it makes of the test.
struct Verdict : Finding {
  Status status = Status::failed;
};

/// What the running test leaves behind for its result; call these inside of a test. Of several
/// verdicts the last one counts.
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

/// How the running test ended, or what is known of it by now.
/// @param result  GoogleTest's
TestEnd end_of(const testing::TestResult& result);

/// The result to report. A failure that nobody recorded a verdict for is a fault of the grader's
/// own and has the status `error`.
TestResult result_of(const RubricEntry& entry, const TestEnd& end);

}  // namespace tilewise::grading
