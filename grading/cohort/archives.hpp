#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grading/cli/submission.hpp"

/// Reads archives of any kind that libarchive knows; they need not be trusted.
namespace tilewise::grading {

inline constexpr const char* no_archive = "it is neither a folder nor an archive";

/// Returns the ending of an archive's name, such as ".tar.gz"; empty for other names.
std::string_view ending_of_archive(const std::string& name);

/// Unpacks to `to`/labs those files of an archive that have a place there, as take_from_folder()
/// copies them. If there are none, it unpacks those of the archives inside it. Nothing else is
/// unpacked.
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade if `to` cannot be written to
std::string take_from_archive(const std::filesystem::path& archive, const std::filesystem::path& to,
                              const PlaceInLabs& place_of);

/// Unpacks the sources and archives that a class has handed in, but nothing whose path leads out of
/// `to`.
/// @throws CannotGrade if it is no archive, is damaged or is too large
void unpack_class(const std::filesystem::path& archive, const std::filesystem::path& to);

}  // namespace tilewise::grading
