#pragma once

#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// What a date without a time of day means.
enum class DayMeans { its_beginning, its_end };

/// A time as people and platforms write it: "2026-11-20", "2026-11-20 23:59",
/// "2026-11-20T23:59:00+01:00", Blackboard's "2026-11-20-23-59-00", Brightspace's "Nov 20, 2026
/// 1159 PM", Moodle's "Friday, 20 November 2026, 11:59 PM". Where it names no zone it is of this
/// machine's (TZ). Nothing where it is none of these, or on no calendar.
std::optional<std::time_t> parse_time(std::string_view text, DayMeans day);

/// "2026-11-20 23:59 +0100"
std::string in_words(std::time_t time);

}  // namespace tilewise::grading
