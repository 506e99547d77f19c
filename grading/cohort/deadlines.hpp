#pragma once

#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grading/cohort/platforms.hpp"
#include "grading/cohort/roster.hpp"

namespace tilewise::grading {

/// What a date without a time of day means.
enum class DayMeans { its_beginning, its_end };

/// Reads a time as people and platforms write it: "2026-11-20", "2026-11-20 23:59",
/// "2026-11-20T23:59:00+01:00", Blackboard's "2026-11-20-23-59-00", Brightspace's "Nov 20, 2026
/// 1159 PM", Moodle's "Friday, 20 November 2026, 11:59 PM". A time without a zone is in this
/// machine's zone (TZ). Returns nothing if the text has another form or its date is on no calendar.
std::optional<std::time_t> parse_time(std::string_view text, DayMeans day);

/// With more free late days there would be no deadline.
inline constexpr int most_free_late_days = 366;

/// Reads a number such as "3". Returns nothing unless it is a whole number from 0 to
/// most_free_late_days.
std::optional<int> parse_late_days(std::string_view text);

/// Returns the time in the form "2026-11-20 23:59 +0100".
std::string in_words(std::time_t time);

/// How late a stage was handed in, and what that costs.
struct Lateness {
  int days = 0;        ///< days begun after the deadline
  int free_days = 0;   ///< how many of these days cost nothing
  double percent = 0;  ///< how much of the stage's points is taken off
};

/// Returns "2 days late, of them 1 free: 10% less"; empty if it is not late.
std::string in_words(const Lateness& late);

/// When work is due, for all students and for some, and what being late costs.
class Deadlines {
 public:
  /// With these deadlines nothing is due, and nothing is late.
  Deadlines() = default;

  /// Takes extensions and late days of students from the roster, and reads a JSON file, if there is
  /// one:
  ///
  ///     {"due": "2026-11-20 23:59",
  ///      "stages": {"04_prefetch": "2026-11-27 23:59"},
  ///      "grace_minutes": 10,
  ///      "free_late_days": 2,
  ///      "percent_per_late_day": 10,
  ///      "most_late_days": 5,
  ///      "students": {"doej@example.org": {"due": "2026-11-25 23:59", "stages": {...},
  ///                                        "free_late_days": 4}}}
  ///
  /// Any of it may be left out. A date without a time means the end of that day.
  /// @param file    may be empty
  /// @param stages  ids of the stages that are graded
  /// @throws CannotGrade naming the entry that is not known, is no time, names no student of the
  ///         roster, or is in the roster, too
  Deadlines(const std::filesystem::path& file, const Roster& roster,
            const std::vector<std::string>& stages);

  /// Returns how late a stage is. Nothing is late if it is unknown when it was handed in.
  Lateness lateness(const std::vector<std::size_t>& students, const std::string& stage,
                    const HandedInAt& at) const;

  /// Returns how late work is that was due at a time that a platform gives.
  Lateness lateness(std::time_t due, std::time_t handed_in) const;

  /// Whether anything has a due date, or any student has terms of their own.
  bool has_dates() const { return all_.due || !all_.due_of_stage.empty() || !of_student_.empty(); }

 private:
  /// The terms for all students, or those that replace them for one student.
  struct Terms {
    std::optional<std::time_t> due = std::nullopt;
    std::map<std::string, std::time_t> due_of_stage = {};
    std::optional<int> free_late_days = std::nullopt;
  };

  std::optional<std::time_t> due(const Terms& terms, const std::string& stage) const;
  Lateness lateness(std::time_t due, std::time_t handed_in, int free_days) const;

  Terms all_;
  std::map<std::size_t, Terms> of_student_;
  std::time_t grace_s_ = 0;
  double percent_per_day_ = 0;
  int most_days_ = std::numeric_limits<int>::max();
};

/// The files with which an autograder on Gradescope accounts for dates after grading.
struct GradescopeDates {
  std::filesystem::path results;   ///< results.json, which is changed
  std::filesystem::path metadata;  ///< submission_metadata.json
  std::filesystem::path costs;     ///< a file that Deadlines reads, without dates; may be empty
};

/// Tells the student when the submission came and how late it is, by Gradescope's own dates, which
/// include a student's extension, and takes off the points that this costs. The format is that of
/// https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/.
/// @throws CannotGrade if one of the files cannot be read
void tell_dates(const GradescopeDates& files);

/// @throws CannotGrade unless the file has costs alone, because the dates are Gradescope's
void demand_costs(const std::filesystem::path& costs);

}  // namespace tilewise::grading
