#include "grading/examiner/rubric.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "grading/course/stages.hpp"

namespace tilewise::grading {
namespace {

using Json = nlohmann::json;

double read_fraction(const Json& json, const char* name) {
  const double fraction = json.at(name).get<double>();
  if (fraction <= 0 || fraction > 1) {
    throw std::invalid_argument(
        fmt::format("{} must be a fraction above 0 and up to 1, not {}", name, fraction));
  }
  return fraction;
}

/// Refuses unknown keys, because a misspelt "hidden" would show what nobody is to see.
void demand_known_keys(const Json& json, const std::set<std::string>& known) {
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key)) {
      throw std::invalid_argument(fmt::format("'{}' is none of {}", key, fmt::join(known, ", ")));
    }
  }
}

SpeedMinimum read_minimum(const Json& json) {
  demand_known_keys(json, {"of_reference", "of_peak", "of_model"});
  SpeedMinimum minimum;
  minimum.of_reference = read_fraction(json, "of_reference");
  minimum.of_peak = read_fraction(json, "of_peak");
  if (json.contains("of_model")) minimum.of_model = read_fraction(json, "of_model");
  return minimum;
}

RubricEntry read_entry(const Json& json) {
  demand_known_keys(json, {"test", "category", "points", "hidden", "minimum"});
  RubricEntry entry;
  entry.test = json.at("test").get<std::string>();
  entry.category = category_from_string(json.at("category").get<std::string>());
  const Json& points = json.at("points");
  if (!points.is_number_integer() || points.get<int>() < 1) {
    throw std::invalid_argument("points must be a positive whole number, not " + points.dump());
  }
  entry.points = points.get<int>();
  entry.hidden = json.value("hidden", false);
  if (json.contains("minimum")) entry.minimum = read_minimum(json.at("minimum"));
  return entry;
}

std::vector<RubricEntry> read_stage(const Json& json, std::set<std::string>& known_tests) {
  std::vector<RubricEntry> entries;
  for (const Json& element : json) {
    try {
      entries.push_back(read_entry(element));
    } catch (const std::exception& error) {
      throw std::invalid_argument(fmt::format("entry {}: {}", element.dump(), error.what()));
    }
    if (!known_tests.insert(entries.back().test).second) {
      throw std::invalid_argument(entries.back().test + " is listed twice");
    }
  }
  if (entries.empty()) throw std::invalid_argument("there is none");
  return entries;
}

}  // namespace

Rubric load_rubric(const std::filesystem::path& root) {
  Rubric rubric;
  std::set<std::string> known_tests;
  for (const StageInfo& stage : read_stages(root)) {
    const Json file = read_stage_file(root, stage.id);
    try {
      demand_known_keys(file, {"functions", "compute_capability", "compilers", "orders", "tests",
                               "predict", "beside", "trace", "figures", "report"});
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("{}: {}", stage_file(root, stage.id).string(), error.what()));
    }
    try {
      rubric[stage.id] = read_stage(file.at("tests"), known_tests);
    } catch (const std::exception& error) {
      throw std::runtime_error(
          fmt::format("{}: tests: {}", stage_file(root, stage.id).string(), error.what()));
    }
  }
  return rubric;
}

const std::vector<RubricEntry>& rubric_of(const Rubric& rubric, const std::string& stage) {
  const auto found = rubric.find(stage);
  if (found == rubric.end()) {
    throw std::runtime_error(fmt::format("the course has no stage {}", stage));
  }
  return found->second;
}

std::string_view shown_name(const std::vector<RubricEntry>& tests, std::string_view test) {
  const auto entry = std::ranges::find(tests, test, &RubricEntry::test);
  return entry != tests.end() && entry->hidden ? "a hidden test" : test;
}

}  // namespace tilewise::grading
