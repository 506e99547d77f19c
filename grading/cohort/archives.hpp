#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "grading/cli/submission.hpp"

/// Archives of any kind that libarchive reads, and that nobody need trust.
namespace tilewise::grading {

inline constexpr const char* no_archive = "it is neither a folder nor an archive";

/// ".tar.gz" of an archive's name; empty for other names.
std::string_view ending_of_archive(const std::string& name);

/// Unpacks files of an archive that have a place to `to`/labs, as take_from_folder() copies them;
/// where it has none, those of archives that lie in it. Nothing else is unpacked.
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade where `to` cannot be written to
std::string take_from_archive(const std::filesystem::path& archive, const std::filesystem::path& to,
                              const PlaceInLabs& place_of);

/// Unpacks what a class has handed in: sources and archives, and nothing that leads elsewhere.
/// @throws CannotGrade where it is none, is damaged or too large
void unpack_class(const std::filesystem::path& archive, const std::filesystem::path& to);

}  // namespace tilewise::grading
