#include "common/base/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>

#ifdef __APPLE__
#include <mach-o/dyld.h>

#include <vector>
#endif

namespace tilewise::core {

namespace fs = std::filesystem;

namespace {

bool is_project_root(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "lab", ignored) && fs::is_directory(folder / "labs", ignored);
}

}  // namespace

fs::path executable_directory() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::vector<char> path(size);
  if (_NSGetExecutablePath(path.data(), &size) != 0) {
    throw std::runtime_error("cannot tell where this executable lies");
  }
  return fs::canonical(path.data()).parent_path();
#else
  return fs::read_symlink("/proc/self/exe").parent_path();
#endif
}

fs::path project_root() {
  if (const char* override_root = std::getenv("TILEWISE_ROOT")) {
    if (!is_project_root(override_root)) {
      throw std::runtime_error(
          "TILEWISE_ROOT is " + std::string(override_root) +
          ", but no `lab` and `labs/` are there; set it to the course's folder");
    }
    return fs::canonical(override_root);
  }
  const fs::path start = executable_directory();
  for (fs::path folder = start; folder != folder.parent_path(); folder = folder.parent_path()) {
    if (is_project_root(folder)) return folder;
  }
  throw std::runtime_error("no folder above " + start.string() +
                           " holds `lab` and `labs/`; set TILEWISE_ROOT to the course's folder");
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const auto first_different =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first;
  return first_different == folder.end();
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text;
  char part[1 << 14];
  while (stream.read(part, sizeof part) || stream.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

}  // namespace tilewise::core
