#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "common/base/files.hpp"

namespace tilewise::grading {

using core::text_of;

/// Something in the user's request or surroundings keeps Tilewise from grading at all.
class CannotGrade : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Finds out before the work rather than after it whether a file can be written; keeps what it
/// holds. An empty path stands for no file.
/// @throws CannotGrade
void demand_writable(const std::filesystem::path& file);

/// Makes a folder unless it is there, and finds out whether files can be written to it. An empty
/// path stands for none.
/// @param option that names it, for the message
/// @throws CannotGrade
void demand_folder(const std::string& option, const std::filesystem::path& folder);

/// Writes a file unless the path is empty.
/// @throws CannotGrade
void write_output(const std::filesystem::path& file, const std::string& text);

/// Writes a file in such a way that it is there as a whole or not at all, whenever this process is
/// killed.
/// @throws CannotGrade
void write_whole(const std::filesystem::path& file, const std::string& text);

/// Writes behind what a file holds, unless the path is empty.
/// @throws CannotGrade
void append_output(const std::filesystem::path& file, const std::string& text);

}  // namespace tilewise::grading
