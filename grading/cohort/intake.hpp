#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"

/// From what a learning platform delivers to who has handed in what.
namespace tilewise::grading {

/// A folder, clone of a repository, archive or file that was handed in.
struct HandedIn {
  std::filesystem::path path;
  /// What its owner called it, where the platform has added to the name; else its own.
  std::string name = {};
};

/// One submission of a cohort.
struct CohortEntry {
  std::string name;               ///< of the student, as the folder, archive or platform has it
  std::vector<HandedIn> sources;  ///< all that one student has handed in
  std::vector<std::string> notes = {};  ///< "late"; which attempts were left out
};

/// What a folder or an archive of a class holds.
struct Intake {
  std::vector<CohortEntry> entries;                           ///< in alphabetical order
  std::shared_ptr<const ScratchDirectory> scratch = nullptr;  ///< that holds what was unpacked
};

/// Finds the submissions of a class. Each may be a folder, a clone or an archive (zip, 7z, rar, tar
/// with any compression), by which it is then called: "anna" for anna/ and for anna.zip, which are
/// one submission. Known are also what Moodle delivers ("Doe Jane_123_assignsubmission_file_"),
/// Canvas ("doejane_LATE_123_456_matmul_shared-1.cu": of several attempts the last one counts) and
/// Gradescope (submission_123/ with submission_metadata.yml), and a whole class in one archive.
/// Hidden files and what systems leave (__MACOSX, Thumbs.db) are nobody's.
/// @throws CannotGrade where it is neither, cannot be read, or holds nothing
Intake take_in(const std::filesystem::path& class_of_submissions);

/// Copies labs/NN_topic/*.cu of a submission to the same places under `to`, and nothing else: only
/// the files of a stage, no links, no folders, no file larger than a kernel is. Where there is no
/// folder labs, files that are called as a stage's are go to that stage, or else those that are
/// nearly called so: "Matmul_Shared (1).CU". Text in UTF-16 becomes UTF-8.
/// @return why there is nothing to grade, as where two files differ that may both be meant; empty
///         otherwise
/// @throws CannotGrade where `to` cannot be written to
std::string take_sources(const CohortEntry& entry, const std::filesystem::path& to);

/// Whether two folders hold the same files of stages.
bool same_sources(const std::filesystem::path& one, const std::filesystem::path& other);

/// A line for each student and each file that would be graded, and what is wrong or left out.
std::string in_words(const Intake& intake);

}  // namespace tilewise::grading
