/// \file
/// The file progress.json at the course's root (schema tilewise/progress/v1), which holds how far a
/// learner has come. `lab grade` records in it when it grades labs/; `lab status`, `hint`, `next`,
/// `watch` and `debug` read it. The file may be deleted at any time; everything in it then counts
/// as never done.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "grading/course/stages.hpp"
#include "grading/profile/predictions.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// The test nearest the cause of a stage's last failure, and what it takes to run into the failure
/// again.
struct Failure {
  std::string test;  ///< "MatmulShared.IsRightAtRaggedEdges"
  Category category = Category::correctness;
  Status status = Status::failed;  ///< error: no verdict, the file did not compile
  Finding finding;
  std::uint64_t seed = 0;
  std::string backend;  ///< "simt" or "cuda"
  std::string gpu;      ///< the GPU profile that was modelled: "gtx1080"

  bool operator==(const Failure&) const = default;
};

/// A rate that a test measured or modelled.
struct Rate {
  std::string unit;  ///< the measurement's name: "gflops", "gb_s"
  double value = 0;

  bool operator==(const Rate&) const = default;
};

/// The best rates so far, by device ("gtx1080 (modelled)") and test.
using BestRates = std::map<std::string, std::map<std::string, Rate>>;

/// Which hints of a stage were shown.
struct HintsShown {
  /// The failure that the last aimed hint was about, as key_of() identifies it; empty if there was
  /// none.
  std::string aimed_at;
  std::map<std::string, int> tiers;  ///< the number of tiers that were shown, by contract function

  bool operator==(const HintsShown&) const = default;
};

struct StageProgress {
  std::optional<Status> status;  ///< the verdict of the last grading; nullopt if there was none yet
  int score = 0;
  int max_score = 0;
  int best_score = 0;        ///< kept so that experiments cost no points
  std::string first_passed;  ///< "2026-11-21T07:30:00Z"; empty if it never passed
  BestRates best;
  HintsShown hints;
  std::optional<Failure> last_failure;  ///< nullopt once the stage passes
  std::vector<KeptPrediction> predictions;

  bool operator==(const StageProgress&) const = default;
};

struct Progress {
  std::string current;  ///< id of the stage being worked on; empty if none was chosen
  std::map<std::string, StageProgress> stages;

  bool operator==(const Progress&) const = default;
};

/// The progress recorded for a stage; empty if it was never graded.
StageProgress progress_of(const Progress& progress, const std::string& stage);

/// Whether a stage has ever passed, even if later attempts at it failed.
bool has_passed(const Progress& progress, const std::string& stage);

/// The stage being worked on. If none was chosen, or the course no longer has it, this is the first
/// stage that has not passed, or else the last stage.
const StageInfo& current_stage(const Progress& progress, const std::vector<StageInfo>& course);

/// The next stage after `from` that has not passed; the search goes on from the beginning of the
/// course after its last stage. nullptr if all others have passed.
const StageInfo* next_stage(const Progress& progress, const std::vector<StageInfo>& course,
                            const std::string& from);

/// Keeps a prediction. If the same figure was predicted before, its count is updated, but the first
/// prediction stands.
void keep_prediction(StageProgress& progress, const KeptPrediction& prediction);

/// Identifies a failure by its test, place and message. The message's numbers are left out, because
/// they depend on the inputs.
std::string key_of(const Failure& failure);

/// The circumstances under which a result came about.
struct Circumstances {
  std::uint64_t seed = 0;
  std::string gpu;       ///< the GPU profile that was modelled
  std::time_t when = 0;  ///< for example std::time(nullptr)
};

/// Records the result of grading the learner's own kernels. A stage that was graded alone becomes
/// the current one. Hidden tests leave their points, and nothing else.
void record(Progress& progress, const GradeResult& result, const Circumstances& circumstances);

/// Conversions between progress and the schema tilewise/progress/v1, which nlohmann::json finds by
/// name. Reading throws nlohmann::json::exception for a missing or mistyped field and
/// std::invalid_argument for an unknown word.
void to_json(nlohmann::ordered_json& document, const Progress& progress);
void from_json(const nlohmann::ordered_json& document, Progress& progress);

inline constexpr const char* progress_schema = "tilewise/progress/v1";

/// `root`/progress.json.
std::filesystem::path progress_file(const std::filesystem::path& root);

/// Reads the file; progress is empty if there is none.
/// @param root the course's folder
/// @throws CannotGrade, saying what to do, if the file is damaged or its schema is unknown
Progress read_progress(const std::filesystem::path& root);

/// Reads the file, applies `change` and replaces the file as a whole or not at all. Processes that
/// do so at the same time wait for one another.
/// @throws as read_progress(), and then changes nothing; CannotGrade if the file cannot be written;
/// Interrupted
void change_progress(const std::filesystem::path& root,
                     const std::function<void(Progress& progress)>& change);

}  // namespace tilewise::grading
