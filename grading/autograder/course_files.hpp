#pragma once

#include <filesystem>
#include <vector>

namespace tilewise::grading {

/// What it takes to build and to grade elsewhere, relative to the course's folder, in alphabetical
/// order. In a clone those are files that git knows, with what is changed in them; otherwise all
/// that are not hidden. Nothing that was built, and no results.
/// @throws CannotGrade where git does not tell
std::vector<std::filesystem::path> course_files(const std::filesystem::path& course);

}  // namespace tilewise::grading
