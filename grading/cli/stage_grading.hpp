#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "common/process/command.hpp"
#include "grading/builder/builder.hpp"
#include "grading/cli/exam.hpp"
#include "grading/examiner/rubric.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// Code that a stage's functions are timed beside on a GPU, apart from the solution:
/// grading/stages/ID/baselines/NAME.
struct Baseline {
  std::string name;  ///< "cublas" or "copy"
  bool uses_cublas = false;
};

/// Returns the baselines of a stage.
std::vector<Baseline> baselines_of(const std::string& stage_id);

/// Returns how to build a baseline; the caller has to choose the scratch folder.
BuildRequest baseline_build(const Baseline& baseline, const std::string& stage_id);

struct StageRequest {
  std::string id;
  std::filesystem::path source_directory;  ///< as in BuildRequest
  ExamConditions conditions;
  std::vector<RubricEntry> rubric;  ///< the stage's rubric, or the part of it that is to be run
};

/// Follows the grading of a stage.
struct StageListener {
  std::function<void()> compiling;
  /// Is called before the end of tests that have no verdict, all of them for this reason.
  std::function<void(const Finding& why)> cannot_judge;
  ExamListener exam;
};

/// Thrown if the user ended grading, with what is known of the stage by then.
class StageInterrupted : public Interrupted {
 public:
  StageInterrupted(const Interrupted& cause, StageResult known)
      : Interrupted(cause), stage(std::move(known)) {}
  StageResult stage;  ///< has every test of the rubric, with status error if it was not judged
};

/// Returns the result of a stage that was not begun.
StageResult not_graded(const StageRequest& request, const std::string& why);

/// Builds a stage and examines it. The result has every test of the rubric, whatever happens: if
/// there is no module, or if the examiner dies, those without a verdict have status error.
/// @throws std::runtime_error if Tilewise itself is broken, StageInterrupted.
StageResult grade_stage(const StageRequest& request, const StageListener& listener);

/// Does the same, with all files that it makes in the caller's folder `scratch`.
StageResult grade_stage(const StageRequest& request, const StageListener& listener,
                        const std::filesystem::path& scratch);

}  // namespace tilewise::grading
