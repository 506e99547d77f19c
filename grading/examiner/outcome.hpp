#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "grading/examiner/rubric.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// Why a test did not pass, in words for a student.
struct Finding {
  std::string message = {};
  std::string hint = {};
  std::string file = {};  ///< empty if unknown
  int line = 0;           ///< 0 if unknown
  Status status = Status::failed;
  FailurePlace place = {};
};

/// What a test leaves behind for its result. It travels from the test to whoever writes results as
/// properties of GoogleTest's TestResult (testing::Test::RecordProperty), so call these inside of a
/// test. Of several findings the last one counts.
void record_finding(const Finding& finding);
void record_measurement(const std::string& name, double value);
void record_output(const std::string& output);

/// How a GoogleTest test ended.
struct TestEnd {
  bool failed = false;
  bool skipped = false;
  std::map<std::string, std::string> properties = {};
  std::vector<std::string> failures = {};  ///< messages of failed assertions
};

TestEnd end_of(const testing::TestResult& result);

/// The result to report. A failure that nobody recorded a finding for is a fault of the grader's
/// own and has the status `error`.
TestResult result_of(const RubricEntry& entry, const TestEnd& end);

/// What the student's code printed during the test.
std::string output_of(const TestEnd& end);

}  // namespace tilewise::grading
