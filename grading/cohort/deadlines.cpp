#include "grading/cohort/deadlines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "grading/cli/submission.hpp"
#include "grading/cohort/times.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

void demand_known_keys(const nlohmann::json& json, const std::set<std::string>& known) {
  if (!json.is_object()) throw std::invalid_argument(json.dump() + " is no object");
  for (const auto& [key, value] : json.items()) {
    if (!known.contains(key)) {
      throw std::invalid_argument(fmt::format("'{}' is none of {}", key, fmt::join(known, ", ")));
    }
  }
}

std::time_t read_time(const nlohmann::json& json) {
  const auto time = json.is_string() ? parse_time(json.get<std::string>(), DayMeans::its_end)
                                     : std::optional<std::time_t>();
  if (!time) {
    throw std::invalid_argument(json.dump() + " is no time: write it as \"2026-11-20 23:59\"");
  }
  return *time;
}

double read_number(const nlohmann::json& json, const char* key, double most) {
  const nlohmann::json& value = json.at(key);
  if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > most) {
    throw std::invalid_argument(
        fmt::format("{} is a number from 0 to {}, not {}", key, most, value.dump()));
  }
  return value.get<double>();
}

int read_days(const nlohmann::json& json, const char* key) {
  constexpr double longest = 366;
  return static_cast<int>(read_number(json, key, longest));
}

std::map<std::string, std::time_t> read_stages(const nlohmann::json& json,
                                               const std::vector<std::string>& stages) {
  std::map<std::string, std::time_t> due;
  for (const auto& [word, time] : json.items()) {
    const std::string id = choose_stages({word}, tilewise::grading::stages()).front().id;
    if (std::ranges::find(stages, id) == stages.end()) {
      throw std::invalid_argument(id + " is not graded here");
    }
    due[id] = read_time(time);
  }
  return due;
}

}  // namespace

Deadlines::Deadlines(const std::filesystem::path& file, const Roster& roster,
                     const std::vector<std::string>& stages) {
  const auto read_terms = [&](const nlohmann::json& json, Terms& terms) {
    if (json.contains("due")) terms.due = read_time(json.at("due"));
    if (json.contains("stages")) terms.due_of_stage = read_stages(json.at("stages"), stages);
    if (json.contains("free_late_days")) terms.free_late_days = read_days(json, "free_late_days");
  };
  const std::string name = printable(file.string());
  std::ifstream stream(file);
  if (!stream) throw CannotGrade(fmt::format("{} cannot be read", name));
  try {
    const nlohmann::json json = nlohmann::json::parse(stream);
    demand_known_keys(json, {"due", "stages", "grace_minutes", "free_late_days",
                             "percent_per_late_day", "most_late_days", "students"});
    read_terms(json, all_);
    constexpr double minutes_of_a_day = 1440;
    if (json.contains("grace_minutes")) {
      grace_s_ =
          static_cast<std::time_t>(60 * read_number(json, "grace_minutes", minutes_of_a_day));
    }
    if (json.contains("percent_per_late_day")) {
      percent_per_day_ = read_number(json, "percent_per_late_day", 100);
    }
    if (json.contains("most_late_days")) most_days_ = read_days(json, "most_late_days");
    const auto students = json.value("students", nlohmann::json::object());
    for (const auto& [word, terms] : students.items()) {
      demand_known_keys(terms, {"due", "stages", "free_late_days"});
      read_terms(terms, of_student_[roster.demand(word, "students")]);
    }
  } catch (const std::exception& error) {
    throw CannotGrade(fmt::format("{}: {}", name, printable(error.what())));
  }
}

std::optional<std::time_t> Deadlines::due(const Terms& terms, const std::string& stage) const {
  const auto of_stage = terms.due_of_stage.find(stage);
  return of_stage == terms.due_of_stage.end() ? terms.due : std::optional(of_stage->second);
}

Lateness Deadlines::lateness(const std::vector<std::size_t>& students, const std::string& stage,
                             const HandedInAt& at) const {
  std::optional<std::time_t> until = due(all_, stage);
  int free_days = all_.free_late_days.value_or(0);
  for (const std::size_t student : students) {
    const auto own = of_student_.find(student);
    if (own == of_student_.end()) continue;
    if (const auto own_due = due(own->second, stage)) until = own_due;
    free_days = own->second.free_late_days.value_or(free_days);
  }
  return until && at.time ? lateness(*until, *at.time, free_days) : Lateness{};
}

Lateness Deadlines::lateness(std::time_t due, std::time_t handed_in) const {
  return lateness(due, handed_in, all_.free_late_days.value_or(0));
}

Lateness Deadlines::lateness(std::time_t due, std::time_t handed_in, int free_days) const {
  if (handed_in <= due + grace_s_) return {};
  constexpr std::time_t day_s = 86400, most_days = 9999;
  Lateness late;
  late.days = static_cast<int>(std::min((handed_in - due + day_s - 1) / day_s, most_days));
  late.free_days = std::min(late.days, free_days);
  late.percent = late.days > most_days_
                     ? 100
                     : std::min(100.0, percent_per_day_ * (late.days - late.free_days));
  return late;
}

std::string in_words(const Lateness& late) {
  if (late.days == 0) return "";
  std::string text = fmt::format("{} {} late", late.days, late.days == 1 ? "day" : "days");
  if (late.free_days > 0) text += fmt::format(", of them {} free", late.free_days);
  if (late.percent > 0) text += fmt::format(": {:g}% less", late.percent);
  return text;
}

}  // namespace tilewise::grading
