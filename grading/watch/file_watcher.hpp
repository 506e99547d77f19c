#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace tilewise::grading {

/// Notices that files are saved. It looks again and again, which works on every file system, also
/// where an editor writes another file and renames it.
class FileWatcher {
 public:
  explicit FileWatcher(std::vector<std::filesystem::path> files);

  /// Whether any file differs from how it was at the last look: written, replaced, removed, back.
  bool has_changed();

 private:
  struct Stamp {
    bool exists = false;
    std::int64_t modified_ns = 0, changed_ns = 0, size = 0;
    std::uint64_t inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::filesystem::path& file);

  std::vector<std::filesystem::path> files_;
  std::vector<Stamp> stamps_;
};

}  // namespace tilewise::grading
