#pragma once

namespace tilewise::grading {

/// Finds out, before anything is graded, whether the rubric can be kept to.
/// @throws CannotGrade, std::runtime_error naming the file and what is wrong in it: as
///         load_rubric(), and tests that no grader has
void demand_rubric();

/// Does so, and prints the points of each stage and the tests that are not run.
/// @throws as demand_rubric()
void show_rubric();

}  // namespace tilewise::grading
