#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/platforms.hpp"

/// Turns what a learning platform delivers into who has handed in what.
namespace tilewise::grading {

/// A folder, clone of a repository, archive or file that was handed in.
struct HandedIn {
  std::filesystem::path path;
  /// The name that its owner gave it, if the platform has added to the name. If it is empty, the
  /// path's own name counts.
  std::string name = {};
};

/// One submission of a cohort.
struct CohortEntry {
  std::string name;               ///< the student's, as the folder, archive or platform has it
  std::vector<HandedIn> sources;  ///< all that one student has handed in
  std::vector<std::string> notes = {};     ///< such as "late", or which attempts were left out
  std::vector<Person> people = {};         ///< its owners, as the platform knows them
  HandedInAt at = {};                      ///< the latest time of all its parts
  std::vector<std::size_t> students = {};  ///< indices in the roster; empty if the owner is unknown
  /// Words in texts about it that would reveal its owner, if students go by pseudonyms.
  std::vector<std::string> secrets = {};
};

/// Returns a text about a submission without its secrets.
std::string without_secrets(std::string text, const CohortEntry& entry);

/// What a folder or an archive of a class holds.
struct Intake {
  std::vector<CohortEntry> entries;                           ///< in alphabetical order
  std::shared_ptr<const ScratchDirectory> scratch = nullptr;  ///< holds what was unpacked
};

/// Finds the submissions of a class. Each may be a folder, a clone or an archive (zip, 7z, rar, tar
/// with any compression), which gives it its name: anna/ and anna.zip are both part of the
/// submission "anna". The forms in which platforms deliver are known, too (platforms.hpp), with the
/// last of several attempts counting, and so is a whole class in one archive.
/// @throws CannotGrade if it is neither, cannot be read, or holds nothing
Intake take_in(const std::filesystem::path& class_of_submissions);

/// Copies labs/NN_topic/*.cu of a submission to the same places under `to`, and nothing else: only
/// the files of a stage, no links, no folders, no file larger than a kernel is. If there is no
/// folder labs, files that have the name of a stage's file go to that stage; if there are none of
/// these, files with a similar name do, such as "Matmul_Shared (1).CU". Text in UTF-16 becomes
/// UTF-8.
/// @return why there is nothing to grade, for example that two files differ and either may be
///         meant; empty otherwise
/// @throws CannotGrade if `to` cannot be written to
std::string take_sources(const CohortEntry& entry, const std::filesystem::path& to);

/// Whether two folders hold the same files of stages.
bool same_sources(const std::filesystem::path& one, const std::filesystem::path& other);

/// Returns the places below labs of the files that were taken, such as
/// "03_shared_memory/matmul_shared.cu".
std::vector<std::filesystem::path> places_in(const std::filesystem::path& submission);

}  // namespace tilewise::grading
