#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/platforms.hpp"

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
  std::vector<std::string> notes = {};     ///< "late"; which attempts were left out
  std::vector<Person> people = {};         ///< whose it is, as the platform knows them
  HandedInAt at = {};                      ///< the last of all
  std::vector<std::size_t> students = {};  ///< of the roster; empty: nobody knows whose it is
  /// What in texts about it tells whose it is, where students go by pseudonyms.
  std::vector<std::string> secrets = {};
};

/// What is to be said of a submission, without its secrets.
std::string without_secrets(std::string text, const CohortEntry& entry);

/// What a folder or an archive of a class holds.
struct Intake {
  std::vector<CohortEntry> entries;                           ///< in alphabetical order
  std::shared_ptr<const ScratchDirectory> scratch = nullptr;  ///< that holds what was unpacked
};

/// Finds the submissions of a class. Each may be a folder, a clone or an archive (zip, 7z, rar, tar
/// with any compression), by which it is then called: "anna" for anna/ and for anna.zip, which are
/// one submission. Known are also what platforms deliver (platforms.hpp), where of several attempts
/// the last one counts, and a whole class in one archive.
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

/// Places of the files below labs of what was taken: "03_shared_memory/matmul_shared.cu".
std::vector<std::filesystem::path> places_in(const std::filesystem::path& submission);

}  // namespace tilewise::grading
