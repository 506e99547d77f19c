#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/builder.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/report/result.hpp"

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

/// What the examiner reports as it goes.
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
  std::filesystem::path compiled = {};  ///< as write_compiled_kernels() writes it; may be empty
};

/// Runs tilewise-examiner on a submission to its end. `tests`: those of the stage's to run.
/// @throws std::runtime_error if it cannot be started or sends what is no event; Interrupted.
CommandResult run_examiner(const std::string& stage_id, const std::vector<RubricEntry>& tests,
                           const Modules& modules, const ExamConditions& conditions,
                           const ExamListener& listener);

}  // namespace tilewise::grading
