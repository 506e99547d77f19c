#pragma once

#include <filesystem>
#include <string>

#include "grading/course/stages.hpp"
#include "grading/report/terminal.hpp"

/// What `lab profile` and `lab trace` have in common: one call of a stage's checked build.
namespace tilewise::grading {

/// Thrown where the submission is to blame that there is nothing to show.
struct NothingToShow {
  Explanation why;
};

/// The stage that one word means. @throws CannotGrade
StageInfo the_stage(const std::string& word);

/// Compiles a stage's sources. @throws NothingToShow
std::filesystem::path build_checked(const StageInfo& stage, const std::filesystem::path& folder,
                                    const std::filesystem::path& scratch);

}  // namespace tilewise::grading
