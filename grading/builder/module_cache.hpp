#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilewise::grading {

/// Modules built before, each kept with the full text of what it was built from. Several graders
/// may use one cache at a time. A cache that cannot be read or written is as good as an empty one.
class ModuleCache {
 public:
  /// @param capacity  number of modules kept; the oldest go first
  ModuleCache(std::filesystem::path folder, std::size_t capacity);

  /// Copies the module built from exactly `key` to `destination`; false if there is none.
  bool fetch(const std::string& key, const std::filesystem::path& destination) const;

  void store(const std::string& key, const std::filesystem::path& module) const;

 private:
  std::filesystem::path entry(const std::string& key) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::size_t capacity_;
};

}  // namespace tilewise::grading
