#pragma once

#include <filesystem>
#include <string>

namespace tilewise::core {

/// The folder of the running executable. Tools find their siblings relative to it and never by a
/// path fixed when they were built, so that a build folder can be carried to another machine.
/// @throws std::runtime_error if the system does not report the path.
std::filesystem::path executable_directory();

/// The course's root: the folder that holds `lab` and `labs/`. It is searched upwards from the
/// executable; the environment variable TILEWISE_ROOT overrides the search.
/// @throws std::runtime_error naming the places it looked at and what to set.
std::filesystem::path project_root();

/// Whether a path is a folder or lies below it. It compares names only: pass canonical paths where
/// there may be links.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The whole content of a file; empty if the file cannot be read.
std::string text_of(const std::filesystem::path& file);

}  // namespace tilewise::core
