#include "grading/cohort/times.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

namespace tilewise::grading {
namespace {

using Match = std::match_results<std::string_view::const_iterator>;

int number(const Match& match, int group) {
  return match[group].matched ? std::stoi(match[group].str()) : 0;
}

/// 1 for "January" and "Jan"; 0 for no month.
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

/// @param zone_s  east of Greenwich; nothing: of this machine
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
  // Both go on counting where a day has no such hour, and a month no such day.
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

std::string in_words(std::time_t time) {
  return fmt::format("{:%Y-%m-%d %H:%M %z}", fmt::localtime(time));
}

}  // namespace tilewise::grading
