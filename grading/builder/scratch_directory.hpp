#pragma once

#include <filesystem>

namespace tilewise::grading {

/// A fresh, private folder for temporary files, removed with all it holds at the end.
class ScratchDirectory {
 public:
  /// @throws std::system_error naming the folder that cannot be written to.
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tilewise::grading
