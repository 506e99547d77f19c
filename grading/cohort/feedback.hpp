#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/cohort/marks.hpp"

namespace tilewise::grading {

/// What a student is to read: first what is wrong, nearest the cause, then which files were graded
/// and when they were handed in, what an instructor says, each test and why it failed, and a table
/// of points. Of hidden tests their points alone. What is wrong stands there once.
/// @param sources  what was taken from the submission
std::string feedback_text(const Mark& mark, const std::filesystem::path& sources);

/// The same for Gradescope: its results.json.
std::string gradescope_file(const Mark& mark);

}  // namespace tilewise::grading
