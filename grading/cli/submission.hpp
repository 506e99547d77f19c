#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "common/process/sandbox.hpp"
#include "grading/course/stages.hpp"
#include "grading/results/files.hpp"

namespace tilewise::grading {

/// The stages a user means: by id ("03_shared_memory"), number ("03", "3") or topic
/// ("shared_memory"); each once, in the order named. All of `known` if nothing is named.
/// @throws CannotGrade listing the known stages.
std::vector<StageInfo> choose_stages(const std::vector<std::string>& words,
                                     const std::vector<StageInfo>& known);

/// No kernel is longer, and no submission that holds more is worth the time.
inline constexpr std::size_t largest_source_bytes = std::size_t{1} << 20;

/// Where under labs/ a file of a submission belongs: "03_shared_memory/matmul_shared.cu"; nothing
/// where it is of no interest. Paths are relative to the submission.
using PlaceInLabs =
    std::function<std::optional<std::filesystem::path>(const std::filesystem::path&)>;

/// No submission has more files worth looking at.
inline constexpr std::size_t most_submission_files = 100'000;

/// A file that may be meant as one of a stage's.
struct Candidate {
  std::filesystem::path place;  ///< that it would have
  bool is_called_so = true;     ///< to the letter; otherwise somebody has added words to the name
};

/// labs/NN_topic/x.cu where that is one of the stage's files, at the top or in some folders. What
/// has another name nobody compiles, and nobody need unpack.
std::optional<Candidate> candidate_in_labs(const std::filesystem::path& path);

/// A file that is called, or nearly called, as one of a stage is, some folders down at most:
/// "matmul_shared.cu", "Matmul Shared (1).CU"; with words added "hw2/zoe_matmul_shared-2.cu",
/// "matmul_shared_final.cu".
std::optional<Candidate> candidate_by_name(const std::filesystem::path& path);

/// What a file that candidate_by_name() knows is called beside the stage's own name: "zoe" of
/// "zoe_matmul_shared-2.cu" and of "matmul_shared_zoe (1).cu"; empty where there is nothing.
std::string words_beside_stage(const std::string& name);

/// Decides which of a submission's files are meant.
class MeantFiles {
 public:
  using Find = std::optional<Candidate> (*)(const std::filesystem::path&);

  explicit MeantFiles(Find find) : find_(find) {}

  /// A place of its own for each file, until settle() has decided between them.
  std::optional<std::filesystem::path> place_of(const std::filesystem::path& path);

  /// Leaves one file in each place, of a platform's attempts the last: of those for which no other
  /// lies less deep and is called more nearly so, which must be alike.
  /// @param to  whose labs/ the files were taken to
  /// @return which of them differ, so that their owner must say which is meant; empty if none do
  std::string settle(const std::filesystem::path& to) const;

 private:
  struct Known {
    std::filesystem::path path;   ///< as it was handed in
    std::filesystem::path place;  ///< that it has so far
    bool is_called_so;
  };
  Find find_;
  std::map<std::filesystem::path, std::vector<Known>> known_;  ///< by place
};

/// Copies the files of a folder that have a place to `to`/labs: no links, and no file larger than a
/// kernel is. Of two with one place the first in alphabetical order counts.
/// @return what is wrong with them; empty if nothing is
/// @throws CannotGrade where `to` cannot be written to
std::string take_from_folder(const std::filesystem::path& folder, const std::filesystem::path& to,
                             const PlaceInLabs& place_of);

/// Writes a file that was handed in to its place below `to`/labs, as UTF-8 with lines that end as
/// they do here, and what it was beside it.
/// @param path  that it has in the submission
/// @return what is wrong with it; empty if nothing is
/// @throws CannotGrade where it cannot be written, of which no submission can be the cause
std::string put_in_place(const std::string& text, const std::filesystem::path& to,
                         const std::filesystem::path& place, const std::string& path);

/// The text as UTF-8, with lines that end in a line feed alone. Nothing where it begins as UTF-16
/// does, and is not.
/// @param otherwise  what it is where it is not UTF-8; nullptr: that is left as it is
std::optional<std::string> as_utf8(std::string text, const char* otherwise = nullptr);

/// What a file was that lies in its place now.
struct Origin {
  std::string path;    ///< in the submission, on one line
  std::string sha256;  ///< of the bytes that were handed in
};

/// Where that stands: `submission`/origins/NN_topic/x.cu.txt, in the form of sha256sum.
std::filesystem::path origin_file(const std::filesystem::path& submission,
                                  const std::filesystem::path& place);

/// @throws CannotGrade where it cannot be written
void write_origin(const std::filesystem::path& submission, const std::filesystem::path& place,
                  const Origin& origin);

/// Nothing where it is not known.
std::optional<Origin> origin_of(const std::filesystem::path& submission,
                                const std::filesystem::path& place);

/// Takes what a submission has in a folder labs; where it has nothing there, what goes by its name
/// (MeantFiles).
/// @param take  for a way to place files copies them to `to`/labs, and returns what is wrong
/// @return what is wrong with it; empty if nothing is, and where there was nothing to take
std::string take_submission(const std::filesystem::path& to,
                            const std::function<std::string(const PlaceInLabs&)>& take);

/// There is nothing to grade, because of what was handed in.
class NothingSubmitted : public CannotGrade {
  using CannotGrade::CannotGrade;
};

/// Whose kernels a command runs, and where. The commands that run kernels add what else they are
/// asked, and leave at its default what is not theirs to choose.
struct Run {
  std::vector<std::string> stages = {};   ///< as the user calls them; empty: all
  bool solutions = false;                 ///< solutions/ rather than labs/
  std::filesystem::path submission = {};  ///< this folder's labs/; empty: the course's own
  std::string backend = "auto";           ///< auto, simt or cuda
  std::string device = "auto";            ///< of the backend cuda, as choose_gpu() takes it
  std::string gpu = core::default_gpu;    ///< profile that the simulator models
  std::uint64_t seed = 0;                 ///< of random inputs
  double time_limit_s = 10;               ///< of one call of a contract function

  /// Whether the kernels are those that a learner writes.
  bool is_learners_own() const { return !solutions && submission.empty(); }
};

/// The stage of a run that has one.
/// @throws as choose_stages
StageInfo stage_of(const Run& run);

/// Whose kernels to grade: the folder that holds one folder a stage.
struct Submission {
  std::filesystem::path stages_folder;
  std::shared_ptr<const ScratchDirectory> scratch =
      nullptr;  ///< where that folder was put together

  std::filesystem::path folder_of(const StageInfo& stage) const { return stages_folder / stage.id; }
};

/// What a user hands in: `directory`/labs; or, where that has no file of the `wanted` stages, what
/// take_submission() finds in `directory`.
/// @throws CannotGrade if that is no folder; NothingSubmitted if it holds no file of those stages.
Submission open_submission(const std::filesystem::path& directory,
                           const std::vector<StageInfo>& wanted);

/// The kernels that a run is of.
/// @throws as open_submission
Submission choose_submission(const Run& run, const std::vector<StageInfo>& wanted);

/// Whether each file of the stage in a folder is still what the student was given.
bool is_skeleton(const StageInfo& stage, const std::filesystem::path& folder);

}  // namespace tilewise::grading
