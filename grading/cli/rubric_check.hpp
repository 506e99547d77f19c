#pragma once

#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// Every test that a stage's grader has, in its order.
/// @throws CannotGrade, std::runtime_error where the grader cannot be asked
std::vector<std::string> tests_of_grader(const std::string& stage);

/// Finds out, before anything is graded, whether the rubric of these stages can be kept to.
/// @throws CannotGrade, std::runtime_error naming the file and what is wrong in it: as
///         load_rubric(), and tests that no grader has
void demand_rubric(const std::vector<StageInfo>& stages);

/// Does so for all stages, and prints the points of each and the tests that are not run.
/// @throws as demand_rubric()
void show_rubric();

}  // namespace tilewise::grading
