#pragma once

#include <filesystem>
#include <string>

#include "grading/cli/handed_in.hpp"

namespace tilewise::grading {

inline constexpr int most_archive_entries = 100'000;

/// Unpacks files of a zip archive that have a place to `to`/labs.
/// @return what is wrong with it; empty if nothing is
std::string take_from_zip(const std::filesystem::path& archive, const std::filesystem::path& to,
                          const PlaceInLabs& place_of);

}  // namespace tilewise::grading
