#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/process/scratch_directory.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// There is nothing to grade, because of what was handed in.
class NothingHandedIn : public CannotGrade {
  using CannotGrade::CannotGrade;
};

/// Whose kernels to grade: the folder that holds one folder a stage.
struct Submission {
  std::filesystem::path stages_folder;
  std::shared_ptr<const ScratchDirectory> scratch =
      nullptr;  ///< where that folder was put together

  std::filesystem::path folder_of(const StageInfo& stage) const { return stages_folder / stage.id; }
};

/// What a user hands in: `directory`/labs; or, where that has no file of the `wanted` stages, what
/// take_handed_in() finds in `directory`.
/// @throws CannotGrade if that is no folder; NothingHandedIn if it holds no file of those stages.
Submission open_submission(const std::filesystem::path& directory,
                           const std::vector<StageInfo>& wanted);

/// The kernels that a user means: the solutions, those of a submission, or, where `directory` is
/// empty, the course's own labs/.
/// @throws as open_submission
Submission choose_submission(bool solutions, const std::filesystem::path& directory,
                             const std::vector<StageInfo>& wanted);

}  // namespace tilewise::grading
