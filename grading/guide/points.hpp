#pragma once

#include <vector>

#include "grading/course/stages.hpp"
#include "grading/progress/progress.hpp"

namespace tilewise::grading {

struct Points {
  int score = 0, max_score = 0;
};

/// Points of one stage, and of the whole course; a stage that was not graded yet is worth what the
/// rubric gives each stage.
Points points_of(const Progress& progress, const StageInfo& stage);
Points points_of(const Progress& progress, const std::vector<StageInfo>& course);

/// How many stages have passed.
int count_passed(const Progress& progress, const std::vector<StageInfo>& course);

}  // namespace tilewise::grading
