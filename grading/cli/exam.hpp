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

/// The circumstances of an exam that all stages of one grading share.
struct ExamConditions {
  Backend backend = Backend::simt;
  std::string gpu;  ///< id of a GPU profile
  std::uint64_t seed = 0;
  double time_limit_s = 10;               ///< for one call of a contract function
  std::filesystem::path bubblewrap = {};  ///< runs the submission; if empty, there is no sandbox
  bool covered = false;  ///< as in BuildRequest; requires backend simt, and no sandbox
};

/// The functions that are called with what examiners report as they work.
struct ExamListener {
  std::function<void(std::string_view test)> test_started;
  std::function<void(const TestResult& test, const std::string& printed)> test_ended;
};

/// A compiled submission to a stage.
struct Modules {
  std::filesystem::path fast;
  std::filesystem::path checked;  ///< on the simulator only, else empty
  /// The modules that are timed beside it, by name. On the simulator these are the checked builds
  /// of what is modelled beside it.
  std::map<std::string, std::filesystem::path> baselines = {};
  /// An empty folder in which the submission runs if there is no sandbox, for what it may write
  /// there.
  std::filesystem::path working_folder = {};
  /// The file that write_compiled_kernels() writes. It need not exist before tests of speed begin.
  std::filesystem::path compiled = {};
};

/// An exam of a stage.
struct ExamRequest {
  std::string stage_id;
  std::vector<RubricEntry> tests;  ///< the tests of the stage that are to run
  Modules modules;
  ExamConditions conditions;
  /// Continues the work that tests of speed wait for, and returns whether they may begin.
  std::function<bool()> speed_can_be_judged = [] { return true; };
};

/// How an examiner ended before its tests did.
struct EarlyEnd {
  CommandResult examiner;
  std::string test;  ///< the test that ran; may be empty
};

/// Makes tilewise-examiner judge a submission. Each test has a process of its own. As many run side
/// by side as there are processors, but at most four, and only one with coverage; a test of results
/// and one of races come first. On a GPU the tests of speed share one process, which runs alone
/// after all others that are waiting. Tests that pass are reported in the order of the request,
/// those that fail at once.
/// @return nothing if every test has ended
/// @throws std::runtime_error if an examiner cannot be started or sends something that is no event;
/// Interrupted.
std::optional<EarlyEnd> run_exam(const ExamRequest& request, const ExamListener& listener);

}  // namespace tilewise::grading
