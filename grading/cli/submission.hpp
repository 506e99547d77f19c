#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {

/// Returns the stages that a user means: by id ("03_shared_memory"), number ("03", "3") or topic
/// ("shared_memory"); each once, in the order named. Returns all of `known` if nothing is named.
/// @throws CannotGrade listing the known stages.
std::vector<StageInfo> choose_stages(const std::vector<std::string>& words,
                                     const std::vector<StageInfo>& known);

/// The largest source file. No kernel is longer, and no submission that holds more is worth the
/// time.
inline constexpr std::size_t largest_source_bytes = std::size_t{1} << 20;

/// Returns where under labs/ a file of a submission belongs, such as
/// "03_shared_memory/matmul_shared.cu"; nothing if it is of no interest. Paths are relative to the
/// submission.
using PlaceInLabs =
    std::function<std::optional<std::filesystem::path>(const std::filesystem::path&)>;

/// The most files of a submission that are looked at; none has more that are worth it.
inline constexpr std::size_t most_submission_files = 100'000;

/// Copies the files of a folder that have a place to `to`/labs, but no links, and no file larger
/// than a kernel is. If two have the same place, the first in alphabetical order counts.
/// @return what is wrong with them; empty if nothing is
/// @throws CannotGrade if `to` cannot be written to
std::string take_from_folder(const std::filesystem::path& folder, const std::filesystem::path& to,
                             const PlaceInLabs& place_of);

/// Writes a file that was handed in to its place below `to`/labs, as UTF-8 with this system's line
/// ends, and records its origin beside it.
/// @param path  its path in the submission
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade if it cannot be written, which no submission can cause
std::string put_in_place(const std::string& text, const std::filesystem::path& to,
                         const std::filesystem::path& place, const std::string& path);

/// Returns the text as UTF-8, with lines that end in a line feed alone. Returns nothing if it
/// cannot be converted, as when it begins like UTF-16 and is not.
/// @param otherwise  the encoding of text that is not UTF-8; nullptr leaves such text as it is
std::optional<std::string> as_utf8(std::string text, const char* otherwise = nullptr);

/// The origin of a file that lies in its place now.
struct Origin {
  std::string path;    ///< in the submission, on one line
  std::string sha256;  ///< of the bytes that were handed in
};

/// Returns the file that records the origin: `submission`/origins/NN_topic/x.cu.txt, in the form of
/// sha256sum.
std::filesystem::path origin_file(const std::filesystem::path& submission,
                                  const std::filesystem::path& place);

/// @throws CannotGrade if it cannot be written
void write_origin(const std::filesystem::path& submission, const std::filesystem::path& place,
                  const Origin& origin);

/// Returns nothing if it is not known.
std::optional<Origin> origin_of(const std::filesystem::path& submission,
                                const std::filesystem::path& place);

/// Takes what a submission has in a folder labs or, if it has nothing there, the files with a
/// stage's name (MeantFiles).
/// @param take  copies files to the places in `to`/labs that its argument gives, and returns what
///              is wrong
/// @return what is wrong with the submission; empty if nothing is, or if there was nothing to take
std::string take_submission(const std::filesystem::path& to,
                            const std::function<std::string(const PlaceInLabs&)>& take);

/// Thrown if there is nothing to grade, because of what was handed in.
class NothingSubmitted : public CannotGrade {
  using CannotGrade::CannotGrade;
};

/// Whose kernels a command runs, and where. The commands that run kernels add their other options,
/// and leave at its default what the user cannot choose there.
struct Run {
  std::vector<std::string> stages = {};   ///< as the user names them; empty for all
  bool solutions = false;                 ///< whether solutions/ is meant rather than labs/
  std::filesystem::path submission = {};  ///< this folder's labs/; if empty, the course's own
  std::string backend = "auto";           ///< auto, simt or cuda
  std::string device = "auto";            ///< for the backend cuda, as choose_gpu() takes it
  std::string gpu = core::default_gpu;    ///< profile that the simulator models
  std::uint64_t seed = 0;                 ///< of random inputs
  double time_limit_s = 10;               ///< of one call of a contract function

  /// Whether the kernels are those that a learner writes.
  bool is_learners_own() const { return !solutions && submission.empty(); }
};

/// Returns the stage of a run that has one.
/// @throws as choose_stages
StageInfo stage_of(const Run& run);

/// The kernels to grade, in a folder that holds one folder per stage.
struct Submission {
  std::filesystem::path stages_folder;
  std::shared_ptr<const ScratchDirectory> scratch =
      nullptr;  ///< where that folder was put together

  std::filesystem::path folder_of(const StageInfo& stage) const { return stages_folder / stage.id; }
};

/// Opens what a user hands in: `directory`/labs or, if that has no file of the `wanted` stages,
/// what take_submission() finds in `directory`.
/// @throws CannotGrade if that is no folder; NothingSubmitted if it holds no file of those stages.
Submission open_submission(const std::filesystem::path& directory,
                           const std::vector<StageInfo>& wanted);

/// Returns the kernels that a run is about.
/// @throws as open_submission
Submission choose_submission(const Run& run, const std::vector<StageInfo>& wanted);

/// Whether each file of the stage in a folder is still what the student was given.
bool is_skeleton(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
