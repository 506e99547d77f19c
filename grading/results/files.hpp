#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/base/files.hpp"

namespace tilewise::grading {

using core::text_of;

/// Thrown if something in the user's request or environment keeps Tilewise from grading at all.
class CannotGrade : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Checks before the work, rather than after it, whether a file can be written, and keeps its
/// contents. An empty path stands for no file.
/// @throws CannotGrade
void demand_writable(const std::filesystem::path& file);

/// Creates a folder if it does not exist, and checks that files can be written to it. An empty path
/// stands for no folder.
/// @param option the option that names it, for the message
/// @throws CannotGrade
void demand_folder(const std::string& option, const std::filesystem::path& folder);

/// Writes a file unless the path is empty.
/// @throws CannotGrade
void write_output(const std::filesystem::path& file, const std::string& text);

/// Writes a file atomically: it is there as a whole or not at all, even if this process is killed.
/// @throws CannotGrade
void write_whole(const std::filesystem::path& file, const std::string& text);

/// Appends to a file, unless the path is empty.
/// @throws CannotGrade
void append_output(const std::filesystem::path& file, const std::string& text);

}  // namespace tilewise::grading
