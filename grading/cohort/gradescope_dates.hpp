#pragma once

#include <filesystem>

namespace tilewise::grading {

/// What an autograder on Gradescope does once it has graded.
struct GradescopeDates {
  std::filesystem::path results;   ///< results.json, which is changed
  std::filesystem::path metadata;  ///< submission_metadata.json
  std::filesystem::path costs;     ///< as Deadlines reads it, without dates; empty: none
};

/// Tells the student when the submission came and how late that is, by Gradescope's own dates, a
/// student's extension among them, and takes what that costs. After
/// https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/.
/// @throws CannotGrade where one of the files cannot be read
void tell_dates(const GradescopeDates& files);

/// @throws CannotGrade unless the file has costs alone: the dates are Gradescope's
void demand_costs(const std::filesystem::path& costs);

}  // namespace tilewise::grading
