#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace tilewise::grading {

/// All that a file holds; nothing where it cannot be read.
inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace tilewise::grading
