#include "common/process/find_on_path.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>

namespace tilewise::grading {

std::optional<std::filesystem::path> find_on_path(const char* program) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto candidate = std::filesystem::path(folder) / program;
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return std::nullopt;
}

}  // namespace tilewise::grading
