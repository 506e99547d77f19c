#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilewise::grading {

/// A file of an archive.
struct ZipItem {
  std::string path;
  std::string text;
  std::string link = {};  ///< a symbolic link to it; empty: a file
  bool executable = false;
};

/// Writes a zip archive, which is there as a whole or not at all. The same items make the same
/// archive, byte for byte: nothing of it tells when and by whom it was written.
/// @throws CannotGrade where it cannot be written
void write_zip(const std::filesystem::path& file, const std::vector<ZipItem>& items);

}  // namespace tilewise::grading
