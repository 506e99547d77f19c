#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// A file or a symbolic link in an archive.
struct ZipItem {
  std::string path;
  std::string text;
  std::string link = {};  ///< the target of a symbolic link; empty if this is a file
  bool executable = false;
};

/// Writes a zip archive as a whole or not at all. The same items make the same archive, byte for
/// byte: nothing in it shows when and by whom it was written.
/// @throws CannotGrade if it cannot be written
void write_zip(const std::filesystem::path& file, const std::vector<ZipItem>& items);

/// Writes the same items as a tar archive, compressed by gzip.
void write_tar_gz(const std::filesystem::path& file, const std::vector<ZipItem>& items);

/// Reads a file, to be stored as `path` in an archive.
/// @throws CannotGrade if it cannot be read
ZipItem item_of(const std::filesystem::path& file, const std::string& path);

/// The files that another machine needs to build the course and to grade, relative to the course's
/// folder, in alphabetical order. In a clone these are the files that git tracks, with their
/// uncommitted changes; otherwise they are all files that are not hidden. Build outputs and results
/// are left out.
/// @throws CannotGrade if git fails
std::vector<std::filesystem::path> course_files(const std::filesystem::path& course);

/// Writes an autograder for Gradescope, after
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/:
///
///     setup.sh         builds the course
///     run_autograder   grades a submission
///     grade_arguments  the arguments of `lab grade`, one a line
///     course/          the files of the course that both scripts need
///     costs.json       what being late costs, if anything
///
/// @param run    says which stages are graded, and on which GPU
/// @param costs  the file that becomes costs.json; empty if there is none
/// @throws CannotGrade if the course cannot be read or the archive cannot be written
void write_autograder(const Run& run, const std::filesystem::path& archive,
                      const std::filesystem::path& costs = {});

}  // namespace tilewise::grading
