#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tilewise::grading {

/// No kernel is longer, and no archive that holds more is worth the time.
inline constexpr std::size_t largest_source_bytes = std::size_t{1} << 20;
inline constexpr int most_archive_entries = 100'000;

/// Where under labs/ a path of an archive belongs; nothing where it is of no interest.
using PlaceInLabs =
    std::function<std::optional<std::filesystem::path>(const std::filesystem::path&)>;

/// Unpacks files of a zip archive that have a place to `to`/labs.
/// @return what is wrong with it; empty if nothing is
std::string take_from_zip(const std::filesystem::path& archive, const std::filesystem::path& to,
                          const PlaceInLabs& place_of);

}  // namespace tilewise::grading
