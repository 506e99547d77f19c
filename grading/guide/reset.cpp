#include "grading/guide/reset.hpp"

#include <fmt/chrono.h>

#include "grading/cli/output_file.hpp"
#include "grading/cli/stage_choice.hpp"
#include "grading/report/file_text.hpp"
#include "grading/report/printable.hpp"
#include "grading/skeleton/skeleton.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string skeleton_from(const fs::path& solution) {
  const Skeleton skeleton = skeleton_of(text_of(solution));
  if (!skeleton.errors.empty()) {
    throw CannotGrade(fmt::format("{}: {}", printable(solution.string()),
                                  fs::exists(solution) ? skeleton.errors.front().message
                                                       : "is missing; this course is incomplete"));
  }
  return skeleton.text;
}

/// Keeps a file under a name that no other backup has.
fs::path keep(const fs::path& file, std::time_t when) {
  const std::string name =
      fmt::format("{}.backup-{:%Y%m%d-%H%M%S}", file.string(), fmt::localtime(when));
  fs::path backup = name;
  for (int number = 2; fs::exists(fs::symlink_status(backup)); ++number) {
    backup = fmt::format("{}-{}", name, number);
  }
  std::error_code error;
  if (!fs::copy_file(file, backup, error)) {
    throw CannotGrade(fmt::format("cannot keep {} as {}: {}; it was left as it is",
                                  printable(file.string()), printable(backup.string()),
                                  error.message()));
  }
  return backup;
}

}  // namespace

std::vector<ResetFile> reset_stage(const fs::path& root, const StageInfo& stage, std::time_t when) {
  std::vector<ResetFile> files;
  for (const std::string& source : stage.sources) {
    const fs::path place = fs::path("labs") / stage.id / source;
    const std::string skeleton = skeleton_from(root / "solutions" / stage.id / source);
    ResetFile& file = files.emplace_back(ResetFile{place.string(), "", false});
    const bool exists = fs::exists(root / place);
    if (exists && text_of(root / place) == skeleton) continue;
    if (exists) file.backup = keep(root / place, when).lexically_relative(root).string();
    write_whole(root / place, skeleton);
    file.written = true;
  }
  return files;
}

}  // namespace tilewise::grading
