/// \file
/// What a stage asks a learner to predict before anything is counted, and how far off a prediction
/// is. Answers are not kept anywhere: they are counted from the learner's kernels, or the
/// solution's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/profile/profile_report.hpp"

namespace tilewise::grading {

/// One question of a stage's "predict" in stage.json.
struct PredictionQuestion {
  std::string call;                       ///< that is counted: "matmul_shared(n=64, tile=16)"
  std::string figure;                     ///< what of it, as prediction_figures() calls it
  std::string question;                   ///< in one sentence or two
  std::string reason;                     ///< how to come by the answer; shown with the count
  std::vector<std::string> choices = {};  ///< of the limiter: what it might be
};

/// A prediction, or what was counted: a number, or one of the choices.
struct Prediction {
  double number = 0;
  std::string choice = {};  ///< empty: the number counts

  bool operator==(const Prediction&) const = default;
};

/// What can be asked for: "sectors_per_load_request", ..., "limiter".
std::vector<std::string> prediction_figures();

/// The heading of a figure in tables: "sectors a load request".
std::string heading_of(const PredictionQuestion& question);

/// The questions of a stage, in order; none where its stage.json has no "predict".
/// @throws std::runtime_error naming the file where one is not as CONTRIBUTING.md describes it
std::vector<PredictionQuestion> read_predictions(const std::filesystem::path& root,
                                                 const std::string& stage_id);

/// What a learner typed: a number ("4", "0.5", "1/8", "1,024"), or a choice by its number or
/// its words. Nothing where it is neither.
std::optional<Prediction> read_prediction(const PredictionQuestion& question,
                                          std::string_view text);

/// What the call's kernels did; nothing where that cannot be said, as of a launch that the GPU
/// cannot take.
std::optional<Prediction> counted_figure(const PredictionQuestion& question,
                                         const ProfileReport& report);

/// As tables show it: "4", "0.125", "DRAM bandwidth".
std::string in_words(const Prediction& prediction);

/// Whether a prediction is right: the same choice, or a number within a twentieth.
bool agrees(const Prediction& predicted, const Prediction& counted);

/// What to make of the two: "as counted", "8 times what is counted".
std::string comparison_of(const Prediction& predicted, const Prediction& counted);

/// A question, and both that was said to it and what was counted.
struct AnsweredPrediction {
  PredictionQuestion question;
  std::optional<Prediction> predicted = {};  ///< nothing: left out
  std::optional<Prediction> counted = {};    ///< nothing: nobody can say
  std::string gpu = {};                      ///< that was modelled
  bool of_solution = false;                  ///< counted of the solution, not of one's own kernels
};

/// All of a stage in the schema tilewise/predictions/v1.
nlohmann::ordered_json predictions_document(const std::string& stage_id,
                                            const std::vector<AnsweredPrediction>& answers);

/// The same as a table, then the reason of each.
std::string predictions_table(const std::vector<AnsweredPrediction>& answers, std::size_t width);

/// What a learner foretold of a stage (`lab predict`), and what was counted then.
struct KeptPrediction {
  std::string call;          ///< "matmul_shared(n=64, tile=16)"
  std::string figure;        ///< "sectors a load request"
  std::string predicted;     ///< the first time: "4", "DRAM bandwidth"
  std::string counted;       ///< the latest time
  std::string gpu;           ///< that was modelled
  bool of_solution = false;  ///< counted of the solution, as there was no kernel of their own yet

  bool operator==(const KeptPrediction&) const = default;
};

}  // namespace tilewise::grading
