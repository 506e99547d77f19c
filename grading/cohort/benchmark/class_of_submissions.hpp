#pragma once

#include <filesystem>

namespace tilewise::grading {

/// Writes the given number of submissions to stage 3 into a folder: folders, zip archives and
/// clones of git repositories. Half are right, in as many styles as there are. The others are
/// broken in all the ways of known mistakes and attacks, hold nothing, are damaged, do not compile,
/// or are the skeleton. No two have the same text, so that each must be compiled.
/// @throws std::runtime_error
void write_class(const std::filesystem::path& folder, int submissions);

}  // namespace tilewise::grading
