#pragma once

#include <filesystem>

namespace tilewise::grading {

/// A fresh, private folder for temporary files, removed with all it holds at the end. As long as it
/// is in use it is locked, which ends with this process however that ends.
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
  int lock_ = -1;
};

/// Removes the scratch directories of this user that processes which were killed have left behind.
/// What cannot be removed stays.
/// @param settled_s  so long ago it was made: then its maker has locked it, or is no more
void sweep_scratch_directories(double settled_s = 60);

}  // namespace tilewise::grading
