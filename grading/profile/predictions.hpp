/// \file
/// The figures that a stage asks a learner to predict before they are counted, and how far off a
/// prediction is. The correct answers are not stored anywhere: they are counted from the learner's
/// kernels, or the solution's.
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
  std::string call;  ///< the call to count: "matmul_shared(n=64, tile=16)"
  /// The figure asked for, named as in prediction_figures().
  std::string figure;
  std::string question;                   ///< one or two sentences
  std::string reason;                     ///< how to find the answer; shown with the count
  std::vector<std::string> choices = {};  ///< the possible answers, if the figure is the limiter
};

/// A prediction or a counted figure: a number, or one of the choices.
struct Prediction {
  double number = 0;
  std::string choice = {};  ///< empty: the answer is the number

  bool operator==(const Prediction&) const = default;
};

/// Returns the names of the figures that can be asked for: "sectors_per_load_request", ...,
/// "limiter".
std::vector<std::string> prediction_figures();

/// Returns the heading of a question's figure in tables: "sectors a load request".
std::string heading_of(const PredictionQuestion& question);

/// Reads the questions of a stage, in order. There are none if its stage.json has no "predict".
/// @throws std::runtime_error naming the file if a question is not as CONTRIBUTING.md describes it
std::vector<PredictionQuestion> read_predictions(const std::filesystem::path& root,
                                                 const std::string& stage_id);

/// Reads what a learner typed: a number ("4", "0.5", "1/8", "1,024"), or a choice by its number or
/// its words. Returns nothing if it is neither.
std::optional<Prediction> read_prediction(const PredictionQuestion& question,
                                          std::string_view text);

/// Returns the figure that was counted for the call, or nothing if there is none, for example
/// because the GPU cannot take the launch.
std::optional<Prediction> counted_figure(const PredictionQuestion& question,
                                         const ProfileReport& report);

/// Returns the prediction as tables show it: "4", "0.125", "DRAM bandwidth".
std::string in_words(const Prediction& prediction);

/// Whether a prediction is right: the same choice, or a number that is at most 5% off.
bool agrees(const Prediction& predicted, const Prediction& counted);

/// Returns how the prediction compares with the count: "as counted", "8 times what is counted".
std::string comparison_of(const Prediction& predicted, const Prediction& counted);

/// A question with the learner's prediction and the counted figure.
struct AnsweredPrediction {
  PredictionQuestion question;
  std::optional<Prediction> predicted = {};  ///< nothing: the learner left it out
  std::optional<Prediction> counted = {};    ///< nothing: not known
  std::string gpu = {};                      ///< the modelled GPU
  /// Counted from the solution, not from the learner's own kernels.
  bool of_solution = false;
};

/// Returns all answers of a stage in the schema tilewise/predictions/v1.
nlohmann::ordered_json predictions_document(const std::string& stage_id,
                                            const std::vector<AnsweredPrediction>& answers);

/// Returns the answers as a table, followed by the reason for each.
std::string predictions_table(const std::vector<AnsweredPrediction>& answers, std::size_t width);

/// A learner's prediction for a stage (`lab predict`), and what was counted.
struct KeptPrediction {
  std::string call;          ///< "matmul_shared(n=64, tile=16)"
  std::string figure;        ///< "sectors a load request"
  std::string predicted;     ///< the first prediction: "4", "DRAM bandwidth"
  std::string counted;       ///< the latest count
  std::string gpu;           ///< the modelled GPU
  bool of_solution = false;  ///< counted from the solution, as the learner had no kernel yet

  bool operator==(const KeptPrediction&) const = default;
};

}  // namespace tilewise::grading
