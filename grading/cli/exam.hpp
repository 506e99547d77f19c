#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/builder.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// Circumstances of an exam that all stages of a grade share.
struct ExamConditions {
  Backend backend = Backend::simt;
  std::string gpu;  ///< id of a GPU profile
  std::uint64_t seed = 0;
  double time_limit_s = 10;               ///< for one call of a contract function
  std::filesystem::path bubblewrap = {};  ///< to run the submission in; empty: no sandbox
  bool covered = false;  ///< as BuildRequest has it; takes backend simt, and no sandbox
};

/// What examiners report as they go.
struct ExamListener {
  std::function<void(std::string_view test)> test_started;
  std::function<void(const TestResult& test, const std::string& printed)> test_ended;
};

/// A submission to a stage, compiled.
struct Modules {
  std::filesystem::path fast;
  std::filesystem::path checked;  ///< on the simulator only, else empty
  /// What is timed beside it, by name; on the simulator what is modelled beside it, checked.
  std::map<std::string, std::filesystem::path> baselines = {};
  /// An empty folder for what a submission may write to the current one, where there is no sandbox.
  std::filesystem::path working_folder = {};
  /// File that write_compiled_kernels() writes; there need be none before tests of speed begin.
  std::filesystem::path compiled = {};
};

/// An exam of a stage.
struct ExamRequest {
  std::string stage_id;
  std::vector<RubricEntry> tests;  ///< those of the stage's to run
  Modules modules;
  ExamConditions conditions;
  /// Goes on with what tests of speed wait for, and tells whether they may begin.
  std::function<bool()> speed_can_be_judged = [] { return true; };
};

/// How an examiner ended before its tests did.
struct EarlyEnd {
  CommandResult examiner;
  std::string test;  ///< that ran; may be empty
};

/// Has tilewise-examiner judge a submission. Each test is a process of its own, and as many run
/// side by side as there are processors: first a test of results and one of races. On a GPU tests
/// of speed run alone, after all others that are waiting. Tests that pass are told in the order of
/// the request, those that fail at once.
/// @return nothing if every test has ended
/// @throws std::runtime_error if an examiner cannot be started or sends what is no event;
/// Interrupted.
std::optional<EarlyEnd> run_exam(const ExamRequest& request, const ExamListener& listener);

}  // namespace tilewise::grading
