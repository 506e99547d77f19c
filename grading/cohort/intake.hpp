#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// One submission of a cohort.
struct CohortEntry {
  std::string name;              ///< of the student, as the folder or the archive is called
  std::filesystem::path source;  ///< a folder, a clone of a repository, or a zip archive
};

/// What a folder holds, in alphabetical order: "anna" for anna/ and for anna.zip, or "anna.zip"
/// where both are there. Hidden files are nobody's.
/// @throws CannotGrade where it is no folder, cannot be read, or holds nothing
std::vector<CohortEntry> find_entries(const std::filesystem::path& folder);

/// Copies labs/NN_topic/*.cu of a submission to the same places under `to`, and nothing else: only
/// the files of a stage, no links, no folders, no file larger than a kernel is. They may lie in a
/// single folder of their own, as in an archive from GitHub. Where there is no folder labs, files
/// that are called as a stage's are go to that stage.
/// @return why there is nothing to grade: "it is no zip archive"; empty otherwise
/// @throws CannotGrade where `to` cannot be written to
std::string take_sources(const CohortEntry& entry, const std::filesystem::path& to);

/// Unpacks files of a zip archive that have a place to `to`/labs, as take_from_folder() copies
/// them. Nothing else is unpacked.
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade where `to` cannot be written to
std::string take_from_zip(const std::filesystem::path& archive, const std::filesystem::path& to,
                          const PlaceInLabs& place_of);

}  // namespace tilewise::grading
