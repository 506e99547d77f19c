#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewise::grading {

/// Modules built before, each kept with the full text of what it was built from. Several graders
/// may use one cache at a time. A cache that cannot be read or written is as good as an empty one.
class ModuleCache {
 public:
  /// How many modules are kept, and how much room they take together; the oldest go first.
  struct Limits {
    std::size_t modules;
    std::uintmax_t bytes;
  };

  ModuleCache(std::filesystem::path folder, Limits limits);

  /// Copies the module built from exactly `key` to `destination`; false if there is none.
  bool fetch(const std::string& key, const std::filesystem::path& destination) const;

  /// Keeps a module, unless it alone would take a quarter of the room: others would have to go.
  void store(const std::string& key, const std::filesystem::path& module) const;

 private:
  std::filesystem::path entry(const std::string& key) const;
  void drop_oldest() const;

  std::filesystem::path folder_;
  Limits limits_;
};

/// The cache of this build of Tilewise.
ModuleCache course_cache();

/// Name, size and time of a file, for keys: tells whether it was replaced.
std::string stamp(const std::filesystem::path& file);

}  // namespace tilewise::grading
