#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewise::grading {

/// A cache of modules, each stored with the full text of what it was built from. Several graders
/// may use one cache at a time. A cache that cannot be read or written behaves like an empty one.
class ModuleCache {
 public:
  /// The number of modules that are kept, and their total size; the oldest are dropped first.
  struct Limits {
    std::size_t modules;
    std::uintmax_t bytes;
  };

  ModuleCache(std::filesystem::path folder, Limits limits);

  /// Copies the module built from exactly `key` to `destination`; false if there is none.
  bool fetch(const std::string& key, const std::filesystem::path& destination) const;

  /// Stores a module, unless it alone would take a quarter of the room and so push out others.
  void store(const std::string& key, const std::filesystem::path& module) const;

 private:
  std::filesystem::path entry(const std::string& key) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  Limits limits_;
};

/// Returns the cache of this build of Tilewise.
ModuleCache course_cache();

/// Returns the name, size and time of a file for use in keys, where they show whether it was
/// replaced.
std::string stamp(const std::filesystem::path& file);

}  // namespace tilewise::grading
