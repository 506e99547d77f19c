#pragma once

#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// What `lab status` says: points, status and best rates of each stage, and the total.
std::string status_table(const std::vector<StageInfo>& course, const Progress& progress);

/// "passed", "failed", "does not compile" or "not graded yet".
std::string status_word(const StageProgress& stage);

}  // namespace tilewise::grading
