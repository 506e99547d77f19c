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

/// A time as people and platforms write it: "2026-11-20", "2026-11-20 23:59",
/// "2026-11-20T23:59:00+01:00", Blackboard's "2026-11-20-23-59-00", Brightspace's "Nov 20, 2026
/// 1159 PM", Moodle's "Friday, 20 November 2026, 11:59 PM". Where it names no zone it is of this
/// machine's (TZ). Nothing where it is none of these, or on no calendar.
std::optional<std::time_t> parse_time(std::string_view text, DayMeans day);

/// More would be no deadline.
inline constexpr int most_free_late_days = 366;

/// "3"; nothing where it is no whole number up to that.
std::optional<int> parse_late_days(std::string_view text);

/// "2026-11-20 23:59 +0100"
std::string in_words(std::time_t time);

/// How late a stage was handed in, and what that costs.
struct Lateness {
  int days = 0;        ///< begun after the deadline
  int free_days = 0;   ///< of them, that cost nothing
  double percent = 0;  ///< of the stage's points, that are taken
};

/// "2 days late, of them 1 free: 10% less"; empty where it is not late.
std::string in_words(const Lateness& late);

/// When work is due, for all and for some, and what being late costs.
class Deadlines {
 public:
  /// Nothing is due, and nothing late.
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
  /// All of it may be left out. A day without a time ends at midnight.
  /// @param file    empty: none
  /// @param stages  ids that are graded
  /// @throws CannotGrade naming the entry that is not known, no time or no such student, or that
  ///         the roster has, too
  Deadlines(const std::filesystem::path& file, const Roster& roster,
            const std::vector<std::string>& stages);

  /// Nothing is late where nobody says when it was handed in.
  Lateness lateness(const std::vector<std::size_t>& students, const std::string& stage,
                    const HandedInAt& at) const;

  /// Of work that was due at a time that a platform tells.
  Lateness lateness(std::time_t due, std::time_t handed_in) const;

  /// Whether anybody says when anything is due, or anything of a student.
  bool has_dates() const { return all_.due || !all_.due_of_stage.empty() || !of_student_.empty(); }

 private:
  /// What holds for all, or instead of it for one student.
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

/// What an autograder on Gradescope does once it has graded.
struct GradescopeDates {
  std::filesystem::path results;   ///< results.json, which is changed
  std::filesystem::path metadata;  ///< submission_metadata.json
  std::filesystem::path costs;     ///< as Deadlines reads it, without dates; empty: none
};

/// Tells the student when the submission came and how late that is, by Gradescope's own dates, a
/// student's extension among them, and takes what that costs. After
/// https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/.
/// @throws CannotGrade where one of the files cannot be read
void tell_dates(const GradescopeDates& files);

/// @throws CannotGrade unless the file has costs alone: the dates are Gradescope's
void demand_costs(const std::filesystem::path& costs);

}  // namespace tilewise::grading
