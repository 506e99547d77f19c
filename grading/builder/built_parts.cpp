#include "grading/builder/built_parts.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>

#include "common/base/language.hpp"
#include "common/process/process.hpp"
#include "grading/builder/layout.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Returns the parts that `lab` has built beside the program; the file has one on each line.
std::set<std::string> parts_asked_for() {
  std::ifstream file(layout().build / "parts.txt");
  std::set<std::string> parts;
  for (std::string line; std::getline(file, line);) parts.insert(line);
  return parts;
}

/// Returns the script `lab`, if this is its build and may be changed.
std::optional<fs::path> script_of_this_build() {
  const auto [root, build] = layout();
  std::error_code other;
  const bool is_its_own = fs::equivalent(build, root / "build" / "simt", other);
  if (!is_its_own || !fs::exists(root / "lab") || ::access(build.c_str(), W_OK) != 0) return {};
  return root / "lab";
}

}  // namespace

std::string modules_part(const std::string& stage_id) { return "tilewise_modules_" + stage_id; }

std::vector<std::string> parts_that_grade(const std::vector<StageInfo>& stages) {
  std::vector<std::string> parts;
  for (const StageInfo& stage : stages) {
    parts.insert(parts.end(), {modules_part(stage.id), examiner_of(stage.id).filename()});
  }
  return parts;
}

void have_built(const std::vector<std::string>& parts) {
  static const std::optional<fs::path> lab = script_of_this_build();
  if (!lab) return;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  static std::set<std::string> built = parts_asked_for();
  if (built.contains(all_parts)) return;
  std::vector<std::string> command = {*lab, "__build"};
  std::ranges::copy_if(parts, std::back_inserter(command),
                       [](const std::string& part) { return !built.contains(part); });
  if (command.size() == 2) return;
  if (run_in_foreground({.arguments = command}) != 0) {
    throw std::runtime_error(
        tr("what this needs could not be built; what was said above tells why"));
  }
  built.insert(parts.begin(), parts.end());
}

}  // namespace tilewise::grading
