#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A file of an archive.
struct ZipItem {
  std::string path;
  std::string text;
  std::string link = "";  ///< a symbolic link to it
};

/// Writes a zip archive, for tests. Makes its folder.
/// @throws std::runtime_error where that fails
void write_zip(const std::filesystem::path& file, const std::vector<ZipItem>& items);

}  // namespace tilewise::grading
