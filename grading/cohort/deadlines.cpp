#include "grading/cohort/deadlines.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>

#include "grading/cli/submission.hpp"
#include "grading/cohort/marks.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {
namespace {

using Match = std::match_results<std::string_view::const_iterator>;

int number(const Match& match, int group) {
  return match[group].matched ? std::stoi(match[group].str()) : 0;
}

/// Returns 1 for "January" and "Jan", and 0 for a word that is no month.
int month_called(const std::string& name) {
  constexpr auto months = std::to_array<std::string_view>(
      {"January", "February", "March", "April", "May", "June", "July", "August", "September",
       "October", "November", "December"});
  const auto found = std::ranges::find_if(
      months, [&](std::string_view month) { return name == month || name == month.substr(0, 3); });
  return found == months.end() ? 0 : static_cast<int>(found - months.begin()) + 1;
}

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
};

/// @param zone_s  seconds east of Greenwich; nothing means this machine's zone
std::optional<std::time_t> time_of(int year, int month, int day, TimeOfDay clock,
                                   std::optional<int> zone_s = std::nullopt) {
  std::tm parts{};
  parts.tm_year = year - 1900;
  parts.tm_mon = month - 1;
  parts.tm_mday = day;
  parts.tm_hour = clock.hour;
  parts.tm_min = clock.minute;
  parts.tm_sec = clock.second;
  parts.tm_isdst = -1;
  // timegm() and mktime() both carry over an hour that a day does not have or a day that a month
  // does not have.
  const bool is_on_clock = clock.hour < 24 && clock.minute < 60 && clock.second < 60;
  const std::time_t time = zone_s ? ::timegm(&parts) - *zone_s : std::mktime(&parts);
  if (!is_on_clock || parts.tm_mon != month - 1 || parts.tm_mday != day) return std::nullopt;
  return time;
}

std::optional<TimeOfDay> of_twelve_hours(int hour, int minute, const std::string& half) {
  if (hour < 1 || hour > 12) return std::nullopt;
  return TimeOfDay{hour % 12 + (half == "P" ? 12 : 0), minute, 0};
}

int zone_of(const std::string& zone) {
  if (zone == "Z" || zone == "UTC") return 0;
  const int hours = std::stoi(zone.substr(1, 2)), minutes = std::stoi(zone.substr(zone.size() - 2));
  return (zone[0] == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
}

}  // namespace

std::optional<std::time_t> parse_time(std::string_view text, DayMeans day) {
  static const std::regex iso(
      R"((\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)? ?(Z|UTC|[+-]\d\d:?\d\d)?)");
  static const std::regex blackboard(R"((\d{4})-(\d\d)-(\d\d)-(\d\d)-(\d\d)-(\d\d))");
  static const std::regex day_first(
      R"((?:[A-Z][a-z]+, )?(\d{1,2}) ([A-Z][a-z]+) (\d{4}), (\d{1,2}):(\d\d) ([AP])M)");
  static const std::regex month_first(
      R"((?:[A-Z][a-z]+, )?([A-Z][a-z]+) (\d{1,2}), (\d{4}),? (\d{1,2}):?(\d\d) ([AP])M)");
  constexpr std::size_t longest = 60;
  if (text.size() > longest) return std::nullopt;
  const auto is = [&](Match& match, const std::regex& form) {
    return std::regex_match(text.begin(), text.end(), match, form);
  };
  Match match;
  if (is(match, iso)) {
    TimeOfDay clock{number(match, 4), number(match, 5), number(match, 6)};
    if (!match[4].matched && day == DayMeans::its_end) clock = {23, 59, 59};
    std::optional<int> zone;
    if (match[7].matched) zone = zone_of(match[7]);
    return time_of(number(match, 1), number(match, 2), number(match, 3), clock, zone);
  }
  if (is(match, blackboard)) {
    return time_of(number(match, 1), number(match, 2), number(match, 3),
                   {number(match, 4), number(match, 5), number(match, 6)});
  }
  const bool has_day_first = is(match, day_first);
  if (!has_day_first && !is(match, month_first)) return std::nullopt;
  const int month = month_called(match[has_day_first ? 2 : 1]);
  const auto clock = of_twelve_hours(number(match, 4), number(match, 5), match[6]);
  if (month == 0 || !clock) return std::nullopt;
  return time_of(number(match, 3), month, number(match, has_day_first ? 1 : 2), *clock);
}

std::optional<int> parse_late_days(std::string_view text) {
  int days = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, days);
  const bool is_number = error == std::errc() && rest == end;
  return is_number && days >= 0 && days <= most_free_late_days ? std::optional(days) : std::nullopt;
}

std::string in_words(std::time_t time) {
  return fmt::format("{:%Y-%m-%d %H:%M %z}", fmt::localtime(time));
}

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
  return static_cast<int>(read_number(json, key, most_free_late_days));
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
  for (std::size_t i = 0; i < roster.students().size(); ++i) {
    const Student& student = roster[i];
    if (!student.due && !student.free_late_days) continue;
    of_student_[i] = {.due = student.due, .free_late_days = student.free_late_days};
  }
  if (file.empty()) return;
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
      const std::size_t student = roster.demand(word, "students");
      if (of_student_.contains(student)) {
        throw std::invalid_argument(
            fmt::format("students: {} has an extension or late days here and in the roster, or is "
                        "here twice: leave one out",
                        word));
      }
      read_terms(terms, of_student_[student]);
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

namespace {

nlohmann::ordered_json read_json(const std::filesystem::path& file) {
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

/// Returns the latest due date in a group, because one of its students may have an extension.
std::optional<std::time_t> due_date(const nlohmann::ordered_json& metadata) {
  std::optional<std::time_t> due;
  for (const auto& user : metadata.value("users", nlohmann::ordered_json::array())) {
    if (user.contains("assignment")) due = std::max(due, time_at(user["assignment"], "due_date"));
  }
  return due || !metadata.contains("assignment") ? due
                                                 : time_at(metadata["assignment"], "due_date");
}

Deadlines costs_in(const std::filesystem::path& file) {
  return file.empty() ? Deadlines() : Deadlines(file, Roster(), {});
}

}  // namespace

void demand_costs(const std::filesystem::path& costs) {
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
