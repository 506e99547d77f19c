#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// `lab autograder` as asked for on the command line.
struct AutograderOptions : Run {
  std::filesystem::path out;  ///< the zip archive
};

/// Writes an autograder for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/:
///
///     setup.sh         builds the course
///     run_autograder   grades a submission
///     grade_arguments  of `lab grade`, one a line
///     course/          what both need of the course
///
/// @throws CannotGrade where the course cannot be read, or the archive not be written
void write_autograder(const AutograderOptions& options);

}  // namespace tilewise::grading
