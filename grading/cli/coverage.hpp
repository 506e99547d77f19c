#pragma once

#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// Runs a stage's tests on the simulator and prints to standard output which lines of its kernel
/// files they reached. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool coverage(const Run& run);

}  // namespace tilewise::grading
