#include "grading/cohort/gradescope_dates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/marks.hpp"
#include "grading/cohort/times.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

nlohmann::ordered_json read_json(const fs::path& file) {
  std::ifstream stream(file);
  return nlohmann::ordered_json::parse(stream);
}

std::optional<std::time_t> time_at(const nlohmann::ordered_json& object, const char* key) {
  const auto value = object.is_object() ? object.value(key, nlohmann::ordered_json()) : nullptr;
  if (!value.is_string()) return std::nullopt;
  const auto time = parse_time(value.get<std::string>(), DayMeans::its_end);
  if (!time) throw std::invalid_argument(fmt::format("{} is no time: {}", key, value.dump()));
  return time;
}

/// The last of a group's, where one of it has an extension.
std::optional<std::time_t> due_date(const nlohmann::ordered_json& metadata) {
  std::optional<std::time_t> due;
  for (const auto& user : metadata.value("users", nlohmann::ordered_json::array())) {
    if (user.contains("assignment")) due = std::max(due, time_at(user["assignment"], "due_date"));
  }
  return due || !metadata.contains("assignment") ? due
                                                 : time_at(metadata["assignment"], "due_date");
}

Deadlines costs_in(const fs::path& file) {
  return file.empty() ? Deadlines() : Deadlines(file, Roster(), {});
}

}  // namespace

void demand_costs(const fs::path& costs) {
  if (costs_in(costs).has_dates()) {
    throw CannotGrade(
        fmt::format("{}: on Gradescope its own dates and extensions count: leave out "
                    "due, stages and students",
                    printable(costs.string())));
  }
}

void tell_dates(const GradescopeDates& files) {
  const Deadlines costs = costs_in(files.costs);
  try {
    const nlohmann::ordered_json metadata = read_json(files.metadata);
    nlohmann::ordered_json results = read_json(files.results);
    const auto handed_in = time_at(metadata, "created_at");
    const auto due = due_date(metadata);
    if (!handed_in) throw std::invalid_argument("there is no created_at");
    std::string text = "Handed in " + in_words(*handed_in);
    if (due) {
      const Lateness late = costs.lateness(*due, *handed_in);
      text +=
          fmt::format("; due {}{}{}", in_words(*due), late.days > 0 ? "; " : "", in_words(late));
      if (late.percent > 0) {
        const double score = results.at("score").get<double>() * (1 - late.percent / 100);
        results["score"] = score;
        text += fmt::format(", which leaves {} points", points_in_words(score));
      }
    }
    results["output"] = fmt::format("{}\n{}.\n", results.at("output").get<std::string>(), text);
    write_whole(files.results, to_file(results));
  } catch (const std::exception& error) {
    throw CannotGrade(
        fmt::format("{}: {}", printable(files.metadata.string()), printable(error.what())));
  }
}

}  // namespace tilewise::grading
