#pragma once

#include <filesystem>
#include <string>

namespace tilewise::core {

/// Folder of the running executable. Tools find their siblings relative to it, never by a path
/// fixed when they were built, so that a build folder can be carried to another machine.
/// @throws std::runtime_error where the system does not tell.
std::filesystem::path executable_directory();

/// The course's root: the folder that holds `lab` and `labs/`. Searched upwards from the
/// executable; the environment variable TILEWISE_ROOT overrides it.
/// @throws std::runtime_error naming where it looked and what to set.
std::filesystem::path project_root();

/// Whether a path is a folder or lies below it. Goes by names alone: give it canonical paths where
/// there may be links.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// All that a file holds; nothing where it cannot be read.
std::string text_of(const std::filesystem::path& file);

}  // namespace tilewise::core
