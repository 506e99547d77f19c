/// \file
/// What the file progress.json at the course's root holds (schema tilewise/progress/v1): how far a
/// learner has come. `lab grade` of labs/ records into it; `lab status`, `hint`, `next`, `watch`
/// and `debug` read it. It may be deleted at any time: what it told is then as good as never done.
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

/// The first test of a stage that did not pass when it was graded last, and what it takes to run
/// into it again.
struct Failure {
  std::string test;  ///< "MatmulShared.IsRightAtRaggedEdges"
  Category category = Category::correctness;
  Status status = Status::failed;  ///< error: there was no verdict, the file did not compile
  Finding finding;
  std::uint64_t seed = 0;
  std::string backend;  ///< "simt" or "cuda"
  std::string gpu;      ///< the profile that was modelled: "gtx1080"

  bool operator==(const Failure&) const = default;
};

/// A rate that a test measured or modelled.
struct Rate {
  std::string unit;  ///< as the measurement is called: "gflops", "gb_s"
  double value = 0;

  bool operator==(const Rate&) const = default;
};

/// The best rate so far, by device ("gtx1080 (modelled)") and test.
using BestRates = std::map<std::string, std::map<std::string, Rate>>;

/// Which hints of a stage were shown.
struct HintsShown {
  /// The failure that the aimed hint was last about, as key_of() tells failures apart; empty: none.
  std::string aimed_at;
  std::map<std::string, int> tiers;  ///< by contract function: so many of its tiers

  bool operator==(const HintsShown&) const = default;
};

struct StageProgress {
  std::optional<Status> status;  ///< of the last grading; nothing: not graded yet
  int score = 0;
  int max_score = 0;
  int best_score = 0;        ///< so that experiments cost nothing
  std::string first_passed;  ///< "2026-11-21T07:30:00Z"; empty: never
  BestRates best;
  HintsShown hints;
  std::optional<Failure> last_failure;  ///< nothing once it passes
  std::vector<KeptPrediction> predictions;

  bool operator==(const StageProgress&) const = default;
};

struct Progress {
  std::string current;  ///< id of the stage that is being worked on; empty: none was chosen
  std::map<std::string, StageProgress> stages;

  bool operator==(const Progress&) const = default;
};

/// What is known of a stage; nothing yet where it was never graded.
StageProgress progress_of(const Progress& progress, const std::string& stage);

/// Whether a stage has passed, even where what was tried since did not.
bool has_passed(const Progress& progress, const std::string& stage);

/// The stage that is being worked on; where none was chosen, or the course has it no longer, the
/// first one that has not passed, or else the last one.
const StageInfo& current_stage(const Progress& progress, const std::vector<StageInfo>& course);

/// Where to go from `from`: the next stage that has not passed, after the last one from the
/// beginning. nullptr where all others have passed.
const StageInfo* next_stage(const Progress& progress, const std::vector<StageInfo>& course,
                            const std::string& from);

/// Keeps a prediction: of one that was made before, what was counted is renewed, and what was
/// predicted first stands.
void keep_prediction(StageProgress& progress, const KeptPrediction& prediction);

/// Tells one failure from another: by test, place and the message without its numbers, which depend
/// on the inputs.
std::string key_of(const Failure& failure);

/// Under which circumstances a result came about.
struct Circumstances {
  std::uint64_t seed = 0;
  std::string gpu;       ///< the profile that was modelled
  std::time_t when = 0;  ///< for example std::time(nullptr)
};

/// Records what grading the learner's own kernels found. A stage that was graded alone becomes the
/// current one. Hidden tests leave their points, and nothing else.
void record(Progress& progress, const GradeResult& result, const Circumstances& circumstances);

/// Conversions between progress and the schema tilewise/progress/v1, found by nlohmann::json.
/// Reading throws nlohmann::json::exception for a missing or mistyped field and
/// std::invalid_argument for an unknown word.
void to_json(nlohmann::ordered_json& document, const Progress& progress);
void from_json(const nlohmann::ordered_json& document, Progress& progress);

inline constexpr const char* progress_schema = "tilewise/progress/v1";

/// `root`/progress.json.
std::filesystem::path progress_file(const std::filesystem::path& root);

/// What the file says; nothing done yet where there is none.
/// @param root the course's folder
/// @throws CannotGrade where it is damaged or not of a schema known here: what to do
Progress read_progress(const std::filesystem::path& root);

/// Reads the file, changes what it says and writes it anew, as a whole or not at all. Of several
/// processes that do so at once each waits for the others.
/// @throws as read_progress(), and then changes nothing; CannotGrade where it cannot be written;
/// Interrupted
void change_progress(const std::filesystem::path& root,
                     const std::function<void(Progress& progress)>& change);

}  // namespace tilewise::grading
