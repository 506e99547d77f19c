#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// A file of an archive.
struct ZipItem {
  std::string path;
  std::string text;
  std::string link = {};  ///< a symbolic link to it; empty: a file
  bool executable = false;
};

/// Writes a zip archive, which is there as a whole or not at all. The same items make the same
/// archive, byte for byte: nothing of it tells when and by whom it was written.
/// @throws CannotGrade where it cannot be written
void write_zip(const std::filesystem::path& file, const std::vector<ZipItem>& items);

/// The same as a tar archive, compressed by gzip.
void write_tar_gz(const std::filesystem::path& file, const std::vector<ZipItem>& items);

/// What a file holds, to be `path` in an archive.
/// @throws CannotGrade where it cannot be read
ZipItem item_of(const std::filesystem::path& file, const std::string& path);

/// What it takes to build and to grade elsewhere, relative to the course's folder, in alphabetical
/// order. In a clone those are files that git knows, with what is changed in them; otherwise all
/// that are not hidden. Nothing that was built, and no results.
/// @throws CannotGrade where git does not tell
std::vector<std::filesystem::path> course_files(const std::filesystem::path& course);

/// Writes an autograder for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/:
///
///     setup.sh         builds the course
///     run_autograder   grades a submission
///     grade_arguments  of `lab grade`, one a line
///     course/          what both need of the course
///     costs.json       what being late costs, if anything
///
/// @param run    of which stages are graded, and on which GPU
/// @param costs  the file that becomes costs.json; empty: none
/// @throws CannotGrade where the course cannot be read, or the archive not be written
void write_autograder(const Run& run, const std::filesystem::path& archive,
                      const std::filesystem::path& costs = {});

}  // namespace tilewise::grading
