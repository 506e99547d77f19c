#pragma once

#include <set>
#include <string>
#include <vector>

namespace tilewise::grading {

/// Tells which shared objects have been loaded since it was made. Those that the driver and
/// NVIDIA's tools load when they are first needed do not count.
class LoadedLibraries {
 public:
  LoadedLibraries();

  /// File names without folders, sorted; "a library" for what was loaded and unloaded again.
  /// @param module  path of one that is to be there
  std::vector<std::string> since(const std::string& module) const;

 private:
  struct State {
    std::set<std::string> paths;
    unsigned long long ever_loaded = 0;
  };
  static State now();

  State before_;
};

}  // namespace tilewise::grading
