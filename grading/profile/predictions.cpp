#include "grading/profile/predictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/base/language.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/memory_use.hpp"
#include "grading/profile/modelled_time.hpp"
#include "grading/profile/numbers.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view limiter = "limiter";

double per_request(std::uint64_t count, std::uint64_t requests) {
  return requests == 0 ? 0 : static_cast<double>(count) / static_cast<double>(requests);
}

/// Returns the number of elements that single threads access per multiply-add.
double elements_per_product(std::uint64_t lane_bytes, const ProfileReport& report) {
  const double bytes = report.double_precision ? sizeof(double) : sizeof(float);
  const double products = report.operations / 2;  // a product is a multiplication and an addition
  return products > 0 ? static_cast<double>(lane_bytes) / bytes / products : 0;
}

/// Returns the number of barriers that a warp reaches.
double barriers_per_warp(const ProfileReport& report) {
  double warps = 0;
  std::uint64_t barriers = 0;
  for (const KernelProfile& kernel : report.kernels) {
    double blocks = 1, threads = 1;
    for (const unsigned side : kernel.launch.grid) blocks *= side;
    for (const unsigned side : kernel.launch.block) threads *= side;
    warps += blocks * std::ceil(threads / 32);
    barriers += kernel.counters.barriers;
  }
  return warps > 0 ? static_cast<double>(barriers) / warps : 0;
}

/// A figure that can be counted.
struct Figure {
  const char* name;
  const char* heading;
  double (*count)(const simt::Counters& total, const ProfileReport& report);
};

constexpr Figure figures[] = {
    {"sectors_per_load_request", marked("sectors a load request"),
     [](const simt::Counters& c, const ProfileReport&) {
       return sectors_per_request(c, global_loads);
     }},
    {"sectors_per_store_request", marked("sectors a store request"),
     [](const simt::Counters& c, const ProfileReport&) {
       return sectors_per_request(c, global_stores);
     }},
    {"global_loads_per_product", marked("global loads a multiply-add"),
     [](const simt::Counters& c, const ProfileReport& report) {
       return elements_per_product(c.global_load_lane_bytes, report);
     }},
    {"shared_loads_per_product", marked("shared loads a multiply-add"),
     [](const simt::Counters& c, const ProfileReport& report) {
       return elements_per_product(c.shared_load_lane_bytes, report);
     }},
    {"wavefronts_per_shared_load", marked("wavefronts a shared load"),
     [](const simt::Counters& c, const ProfileReport&) {
       return per_request(c.shared_load_wavefronts, c.shared_load_requests);
     }},
    {"wavefronts_per_shared_store", marked("wavefronts a shared store"),
     [](const simt::Counters& c, const ProfileReport&) {
       return per_request(c.shared_store_wavefronts, c.shared_store_requests);
     }},
    {"barriers_per_warp", marked("barriers a warp"),
     [](const simt::Counters&, const ProfileReport& report) { return barriers_per_warp(report); }},
    {"launches", marked("kernels launched"),
     [](const simt::Counters&, const ProfileReport& report) {
       return static_cast<double>(report.launches);
     }},
};

const Figure* figure_called(std::string_view name) {
  const auto* found = std::ranges::find(figures, name, &Figure::name);
  return found == std::end(figures) ? nullptr : found;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::optional<double> decimal_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<Prediction> number_typed(std::string text) {
  std::erase(text, ',');
  const std::size_t slash = text.find('/');
  const auto above = decimal_in(std::string_view(text).substr(0, slash));
  if (!above || *above < 0) return std::nullopt;
  if (slash == text.npos) return Prediction{*above};
  const auto below = decimal_in(std::string_view(text).substr(slash + 1));
  if (!below || *below <= 0) return std::nullopt;
  return Prediction{*above / *below};
}

/// Formats a factor briefly: 8, 1.5, 32, 512.
std::string brief(double times) {
  constexpr double two_digits = 10;
  return times < two_digits ? fmt::format("{:.2g}", times) : fmt::format("{:.0f}", times);
}

PredictionQuestion question_in(const nlohmann::json& entry) {
  PredictionQuestion question{entry.at("call"), entry.at("figure"), entry.at("question"),
                              entry.at("reason"),
                              entry.value("choices", std::vector<std::string>{})};
  const bool is_limiter = question.figure == limiter;
  if (!is_limiter && figure_called(question.figure) == nullptr) {
    throw std::invalid_argument(fmt::format("there is no figure '{}'; known are {}",
                                            question.figure,
                                            fmt::join(prediction_figures(), ", ")));
  }
  if (is_limiter && question.choices.size() < 2) {
    throw std::invalid_argument("'limiter' needs \"choices\", two or more");
  }
  for (const std::string& choice : question.choices) {
    if (limiter_advice(choice).empty()) {
      throw std::invalid_argument(fmt::format("'{}' is nothing that the model names", choice));
    }
  }
  return question;
}

}  // namespace

std::vector<std::string> prediction_figures() {
  std::vector<std::string> names;
  for (const Figure& figure : figures) names.emplace_back(figure.name);
  names.emplace_back(limiter);
  return names;
}

std::string heading_of(const PredictionQuestion& question) {
  const Figure* figure = figure_called(question.figure);
  return figure == nullptr ? "limited by" : figure->heading;
}

std::vector<PredictionQuestion> read_predictions(const std::filesystem::path& root,
                                                 const std::string& stage_id) {
  const nlohmann::json file = read_stage_file(root, stage_id);
  std::vector<PredictionQuestion> questions;
  try {
    for (const nlohmann::json& entry : file.value("predict", nlohmann::json::array())) {
      questions.push_back(question_in(entry));
    }
  } catch (const std::exception& error) {
    throw std::runtime_error(
        fmt::format("{}: predict: {}", stage_file(root, stage_id).string(), error.what()));
  }
  return questions;
}

std::optional<Prediction> read_prediction(const PredictionQuestion& question,
                                          std::string_view text) {
  if (question.choices.empty()) return number_typed(std::string(text));
  const std::string wanted = lower_case(text);
  if (const auto number = number_in<std::size_t>(wanted)) {
    if (*number < 1 || *number > question.choices.size()) return std::nullopt;
    return Prediction{.choice = question.choices[*number - 1]};
  }
  const auto found = std::ranges::find(question.choices, wanted, lower_case);
  if (found == question.choices.end()) return std::nullopt;
  return Prediction{.choice = *found};
}

std::optional<Prediction> counted_figure(const PredictionQuestion& question,
                                         const ProfileReport& report) {
  if (const Figure* figure = figure_called(question.figure)) {
    return Prediction{figure->count(add_up(report.kernels).total, report)};
  }
  const std::optional<CallTime> time = modelled_call(report);
  if (!time) return std::nullopt;
  return Prediction{.choice = time->limiter};
}

std::string in_words(const Prediction& prediction) {
  if (!prediction.choice.empty()) return prediction.choice;
  const double whole = std::round(prediction.number);
  if (prediction.number == whole) return with_commas(static_cast<std::uint64_t>(whole));
  return fmt::format("{:.4g}", prediction.number);
}

bool agrees(const Prediction& predicted, const Prediction& counted) {
  if (predicted.choice != counted.choice) return false;
  // Learners who round, or neglect the edges of a matrix, have understood.
  constexpr double near = 0.05;
  return std::abs(predicted.number - counted.number) <= near * std::abs(counted.number);
}

std::string comparison_of(const Prediction& predicted, const Prediction& counted) {
  if (agrees(predicted, counted)) return tr("as counted");
  if (!counted.choice.empty() || counted.number == 0 || predicted.number == 0) {
    return tr("not what is counted");
  }
  const double times = predicted.number / counted.number;
  if (times > 1) return tr("{} times what is counted", brief(times));
  return tr("what is counted is {} times that", brief(1 / times));
}

namespace {

nlohmann::ordered_json document_of(const std::optional<Prediction>& prediction) {
  if (!prediction) return nullptr;
  if (!prediction->choice.empty()) return prediction->choice;
  return prediction->number;
}

}  // namespace

nlohmann::ordered_json predictions_document(const std::string& stage_id,
                                            const std::vector<AnsweredPrediction>& answers) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const AnsweredPrediction& answer : answers) {
    const bool both = answer.predicted && answer.counted;
    all.push_back(
        {{"call", answer.question.call},
         {"figure", answer.question.figure},
         {"question", answer.question.question},
         {"predicted", document_of(answer.predicted)},
         {"counted", document_of(answer.counted)},
         {"agrees", both ? nlohmann::ordered_json(agrees(*answer.predicted, *answer.counted))
                         : nlohmann::ordered_json()},
         {"reason", answer.question.reason},
         {"gpu", answer.gpu},
         {"of_solution", answer.of_solution}});
  }
  return {
      {"schema", "tilewise/predictions/v1"}, {"stage", stage_id}, {"predictions", std::move(all)}};
}

std::string predictions_table(const std::vector<AnsweredPrediction>& answers, std::size_t width) {
  const auto row = [](std::string_view what, std::string_view said, std::string_view counted) {
    return fmt::format("{:<32}{:>18}{:>28}\n", what, said, counted);
  };
  const auto cell = [](const std::optional<Prediction>& prediction) {
    return prediction ? core::in_language(in_words(*prediction)) : "-";
  };
  std::string table = row("", tr("you say"), tr("counted"));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    table += row(fmt::format("{}. {}", i + 1, core::in_language(heading_of(answers[i].question))),
                 cell(answers[i].predicted), cell(answers[i].counted));
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const AnsweredPrediction& answer = answers[i];
    std::string text = core::in_language(answer.question.reason);
    if (answer.predicted && answer.counted) {
      std::string first = comparison_of(*answer.predicted, *answer.counted);
      first[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(first[0])));
      text = first + ". " + text;
    }
    table += "\n" + wrapped(fmt::format("{}. {}", i + 1, text), "", width);
  }
  return table;
}

}  // namespace tilewise::grading
