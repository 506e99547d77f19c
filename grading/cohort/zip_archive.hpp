#pragma once

#include <filesystem>
#include <string>

#include "grading/cli/handed_in.hpp"

namespace tilewise::grading {

/// Unpacks files of a zip archive that have a place to `to`/labs, as take_from_folder() copies
/// them. Nothing else is unpacked.
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade where `to` cannot be written to
std::string take_from_zip(const std::filesystem::path& archive, const std::filesystem::path& to,
                          const PlaceInLabs& place_of);

}  // namespace tilewise::grading
