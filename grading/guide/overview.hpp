#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

/// What `lab` alone says: where the learner is and what to do next, in at most 15 lines; a welcome
/// where nothing was done yet.
/// @param root  of the course
std::string overview(const std::filesystem::path& root, const std::vector<StageInfo>& course,
                     const Progress& progress);

/// What there is after the last stage.
std::string after_the_course();

/// "[=====>----]  3 of 9 stages": how much of the course has passed, in about `width` columns.
std::string progress_bar(const std::vector<StageInfo>& course, const Progress& progress,
                         std::size_t width);

}  // namespace tilewise::grading
