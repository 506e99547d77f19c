#pragma once

#include <ctime>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grading/cohort/platforms.hpp"
#include "grading/cohort/roster.hpp"

namespace tilewise::grading {

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

  /// Reads a JSON file:
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
  /// @param stages  ids that are graded
  /// @throws CannotGrade naming the entry that is not known, no time or no such student
  Deadlines(const std::filesystem::path& file, const Roster& roster,
            const std::vector<std::string>& stages);

  /// Nothing is late where nobody says when it was handed in.
  Lateness lateness(const std::vector<std::size_t>& students, const std::string& stage,
                    const HandedInAt& at) const;

  /// Of work that was due at a time that a platform tells.
  Lateness lateness(std::time_t due, std::time_t handed_in) const;

  /// Whether the file says when anything is due, or anything of a student.
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

}  // namespace tilewise::grading
