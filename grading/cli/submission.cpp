#include "grading/cli/submission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "grading/builder/layout.hpp"
#include "grading/cli/handed_in.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// Whether anything lies where one of the stage's files should be; even a folder there is worth a
/// message about that stage rather than about the whole submission.
bool has_files(const fs::path& folder, const StageInfo& stage) {
  return std::ranges::any_of(stage.sources, [&](const std::string& source) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(folder / stage.id / source, ignored));
  });
}

bool has_any(const Submission& submission, const std::vector<StageInfo>& wanted) {
  return std::ranges::any_of(
      wanted, [&](const StageInfo& stage) { return has_files(submission.stages_folder, stage); });
}

/// What lies in another place than it should.
Submission put_together(const fs::path& directory) {
  const auto scratch = std::make_shared<const ScratchDirectory>();
  const std::string problem = take_handed_in(scratch->path(), [&](const PlaceInLabs& place_of) {
    return take_from_folder(directory, scratch->path(), place_of);
  });
  if (!problem.empty()) {
    throw NothingHandedIn(
        fmt::format("the submission {}: {}", printable(directory.string()), problem));
  }
  return {scratch->path() / "labs", scratch};
}

}  // namespace

Submission open_submission(const fs::path& directory, const std::vector<StageInfo>& wanted) {
  const std::string name = printable(directory.string());
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (!fs::exists(status)) {
    const std::string reason =
        status.type() == fs::file_type::not_found ? "does not exist" : error.message();
    throw CannotGrade(fmt::format("the submission {}: {}", name, reason));
  }
  if (!fs::is_directory(status)) {
    throw CannotGrade(fmt::format(
        "the submission {} is not a folder; it must be one that holds labs/NN_topic/*.cu", name));
  }
  Submission submission{directory / "labs"};
  if (has_any(submission, wanted)) return submission;
  submission = put_together(directory);
  if (has_any(submission, wanted)) return submission;
  const StageInfo& first = wanted.front();
  throw NothingHandedIn(fmt::format(
      "the submission {} has no file of {}; expected, for example, labs/{}/{}, or {} by itself",
      name, wanted.size() == 1 ? "this stage" : "these stages", first.id, first.sources.front(),
      first.sources.front()));
}

Submission choose_submission(bool solutions, const fs::path& directory,
                             const std::vector<StageInfo>& wanted) {
  if (solutions) return {layout().root / "solutions"};
  if (directory.empty()) return {layout().root / "labs"};
  return open_submission(directory, wanted);
}

}  // namespace tilewise::grading
