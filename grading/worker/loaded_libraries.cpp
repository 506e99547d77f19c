#include "grading/worker/loaded_libraries.hpp"

#include <link.h>

#include <algorithm>
#include <filesystem>

namespace tilewise::grading {
namespace {

// Parts of the driver, and of compute-sanitizer and Nsight Compute.
bool is_of_the_driver(const std::string& name) {
  return name.starts_with("libcuda.so") || name.starts_with("libnvidia-") ||
         name.starts_with("libsanitizer-");
}

}  // namespace

LoadedLibraries::State LoadedLibraries::now() {
  State state;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        auto& state = *static_cast<State*>(out);
        state.paths.insert(info->dlpi_name);
        state.ever_loaded = info->dlpi_adds;
        return 0;
      },
      &state);
  return state;
}

LoadedLibraries::LoadedLibraries() : before_(now()) {}

std::vector<std::string> LoadedLibraries::since(const std::string& module) const {
  const State after = now();
  std::vector<std::string> names;
  unsigned long long there = 0;
  for (const std::string& path : after.paths) {
    if (before_.paths.contains(path)) continue;
    ++there;
    const std::string name = std::filesystem::path(path).filename();
    if (path != module && !is_of_the_driver(name)) names.push_back(name);
  }
  std::ranges::sort(names);
  if (after.ever_loaded - before_.ever_loaded > there) names.push_back("a library");
  return names;
}

}  // namespace tilewise::grading
