#include "grading/guide/points.hpp"

#include <algorithm>

#include "grading/examiner/rubric.hpp"

namespace tilewise::grading {

Points points_of(const Progress& progress, const StageInfo& stage) {
  const StageProgress known = progress_of(progress, stage.id);
  if (!known.status) return {0, points_per_stage};
  return {known.score, known.max_score};
}

Points points_of(const Progress& progress, const std::vector<StageInfo>& course) {
  Points sum;
  for (const StageInfo& stage : course) {
    const Points points = points_of(progress, stage);
    sum.score += points.score;
    sum.max_score += points.max_score;
  }
  return sum;
}

int count_passed(const Progress& progress, const std::vector<StageInfo>& course) {
  return static_cast<int>(std::ranges::count_if(
      course, [&](const StageInfo& stage) { return has_passed(progress, stage.id); }));
}

}  // namespace tilewise::grading
