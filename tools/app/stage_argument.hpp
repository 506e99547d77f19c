#pragma once

#include <string>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// The stage that an optional argument names; the current one where it is empty.
/// @throws CannotGrade listing the known stages
StageInfo stage_meant(const std::string& word, const Progress& progress);

}  // namespace tilewise::grading
