#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace tilewise::grading {

/// No kernel is longer, and no submission that holds more is worth the time.
inline constexpr std::size_t largest_source_bytes = std::size_t{1} << 20;

/// Where under labs/ a file of a submission belongs: "03_shared_memory/matmul_shared.cu"; nothing
/// where it is of no interest. Paths are relative to the submission.
using PlaceInLabs =
    std::function<std::optional<std::filesystem::path>(const std::filesystem::path&)>;

/// The place of labs/NN_topic/x.cu, at the top or in one folder.
std::optional<std::filesystem::path> place_in_labs(const std::filesystem::path& path);

/// The place of a file that is called as a file of a stage is, at the top or in one folder.
std::optional<std::filesystem::path> place_by_name(const std::filesystem::path& path);

/// Copies the files of a folder that have a place to `to`/labs: no links, and no file larger than a
/// kernel is. Of two with one place the first in alphabetical order counts.
/// @return what is wrong with them; empty if nothing is
std::string take_from_folder(const std::filesystem::path& folder, const std::filesystem::path& to,
                             const PlaceInLabs& place_of);

/// Takes what a submission has in a folder labs; where it has nothing there, what goes by its name.
/// @param take  for a way to place files copies them to `to`/labs, and returns what is wrong
/// @return what is wrong with it; empty if nothing is, and where there was nothing to take
std::string take_handed_in(const std::filesystem::path& to,
                           const std::function<std::string(const PlaceInLabs&)>& take);

}  // namespace tilewise::grading
