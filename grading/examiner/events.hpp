#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "grading/examiner/rubric.hpp"
#include "grading/examiner/test_end.hpp"

namespace tilewise::grading {

/// One line, without its end, that tells the start of a test:
/// {"event":"start","name":"MatmulShared.IsRightAtRaggedEdges"}.
std::string start_event(const std::string& test);

/// One line, without its end, that tells the end of a test: {"event":"end","test":{...},
/// "finding":{...},"output":"..."} with the test as in tilewise/result/v1, all of its finding and
/// the first 4 KiB the student's code printed.
std::string end_event(const TestResult& test, const std::string& output);

/// Writes an event line as each test starts and ends.
class EventListener : public testing::EmptyTestEventListener {
 public:
  /// `stream` stays the caller's; `entries` hold every test that will run.
  EventListener(std::FILE* stream, std::vector<RubricEntry> entries)
      : stream_(stream), entries_(std::move(entries)) {}

  void OnTestStart(const testing::TestInfo& test) override;
  void OnTestEnd(const testing::TestInfo& test) override;

 private:
  void write(const std::string& line);

  std::FILE* stream_;
  std::vector<RubricEntry> entries_;
};

/// "Suite.Test", as rubrics name tests.
std::string full_name(const testing::TestInfo& test);

}  // namespace tilewise::grading
