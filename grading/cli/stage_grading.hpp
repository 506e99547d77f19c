#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/builder.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// What a stage's functions are timed beside on a GPU, apart from the solution:
/// grading/stages/ID/baselines/NAME.
struct Baseline {
  std::string name;  ///< "cublas" or "copy"
  bool uses_cublas = false;
};

/// Those that the stage has.
std::vector<Baseline> baselines_of(const std::string& stage_id);

/// How to build one; the scratch folder is left to choose.
BuildRequest baseline_build(const Baseline& baseline, const std::string& stage_id);

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

struct StageRequest {
  std::string id;
  std::filesystem::path source_directory;  ///< as in BuildRequest
  ExamConditions conditions;
  std::vector<RubricEntry> rubric;  ///< the stage's, or those of its tests that are to be run
};

/// Follows the grading of a stage.
struct StageListener {
  std::function<void()> compiling;
  /// The tests that end after this have no verdict, all for this reason.
  std::function<void(const Finding& why)> cannot_judge;
  ExamListener exam;
};

/// Thrown where the user ended grading; with what is known of the stage by then.
class StageInterrupted : public Interrupted {
 public:
  StageInterrupted(const Interrupted& cause, StageResult known)
      : Interrupted(cause), stage(std::move(known)) {}
  StageResult stage;  ///< with every test of the rubric, status error where it was not judged
};

/// A stage that nobody has begun to grade.
StageResult not_graded(const StageRequest& request, const std::string& why);

/// Builds a stage and examines it. The result has every test of the rubric, whatever happens: if
/// there is no module, or if the examiner dies, those without a verdict have status error.
/// @throws std::runtime_error if Tilewise itself is broken, StageInterrupted.
StageResult grade_stage(const StageRequest& request, const StageListener& listener);

/// The same, with all files that it makes in a folder of the caller's.
StageResult grade_stage(const StageRequest& request, const StageListener& listener,
                        const std::filesystem::path& scratch);

}  // namespace tilewise::grading
