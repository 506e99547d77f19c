#pragma once

#include <string>
#include <vector>

#include "grading/course/stages.hpp"

namespace tilewise::grading {

/// Returns every test that a stage's grader has, in its order.
/// @throws CannotGrade, std::runtime_error if the grader cannot be asked
std::vector<std::string> tests_of_grader(const std::string& stage);

/// Checks, before anything is graded, that the rubric of these stages fits their graders.
/// @throws CannotGrade, std::runtime_error naming the file and what is wrong in it: as
///         load_rubric() does, and for tests that no grader has
void demand_rubric(const std::vector<StageInfo>& stages);

/// Does the same for all stages, and prints the points of each and the tests that are not run.
/// @throws as demand_rubric()
void show_rubric();

}  // namespace tilewise::grading
