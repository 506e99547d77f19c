#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tilewise_stages.hpp"

namespace tilewise::grading {

/// Whose kernels to grade: the folder that holds one folder a stage.
struct Submission {
  std::filesystem::path stages_folder;

  std::filesystem::path folder_of(const StageInfo& stage) const { return stages_folder / stage.id; }
};

/// What a user hands in: `directory`/labs.
/// @throws CannotGrade if that is no folder, or holds no file of any of the `wanted` stages.
Submission open_submission(const std::filesystem::path& directory,
                           const std::vector<StageInfo>& wanted);

/// The kernels that a user means: the solutions, those of a submission, or, where `directory` is
/// empty, the course's own labs/.
/// @throws as open_submission
Submission choose_submission(bool solutions, const std::filesystem::path& directory,
                             const std::vector<StageInfo>& wanted);

}  // namespace tilewise::grading
