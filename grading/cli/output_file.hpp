#pragma once

#include <filesystem>
#include <string>

namespace tilewise::grading {

/// Finds out before the work rather than after it whether a file can be written; keeps what it
/// holds. An empty path stands for no file.
/// @throws CannotGrade
void demand_writable(const std::filesystem::path& file);

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
