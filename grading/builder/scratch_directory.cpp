#include "grading/builder/scratch_directory.hpp"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace tilewise::grading {

ScratchDirectory::ScratchDirectory() {
  std::string name = (std::filesystem::temp_directory_path() / "tilewise-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(), "cannot create the folder " + name);
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;  // a file left behind in a temporary folder is no reason to fail
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tilewise::grading
