#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/cohort/roster.hpp"
#include "grading/examiner/rubric.hpp"

namespace tilewise::grading {

/// What an instructor says of a student's work, in a line of the file of points.
struct Remark {
  std::size_t student = 0;                      ///< of the roster
  std::string stage = {};                       ///< empty: of the whole
  std::string test = {};                        ///< empty: of the whole stage
  std::optional<double> points = std::nullopt;  ///< instead of the test's, or added to the stage's
  std::string comment = {};
};

/// Reads a table of the columns student, stage, test, points and comment, of which student must be
/// there. Points at a test take the place of those that it earned, others are added.
/// @throws CannotGrade naming the line where a student, stage or test is not known, more points
///         than a test has, the same test twice, or a line that says nothing
std::vector<Remark> read_remarks(const std::filesystem::path& file, const Roster& roster,
                                 const std::vector<std::string>& stages, const Rubric& rubric);

/// Points of one stage.
struct StageMark {
  std::string id;
  double points = 0;
  int max_points = 0;
  Lateness late = {};
};

/// All that a gradebook says of one student.
struct Mark {
  enum class State { graded, by_hand, not_graded, missing };

  std::string name;  ///< of the student, or of a submission that is nobody's
  std::string id = {}, email = {};
  std::string submission = {};   ///< empty: none
  GradedSubmission graded = {};  ///< whatever became of that
  HandedInAt at = {};
  std::vector<std::string> notes = {};
  std::vector<Remark> remarks = {};
  std::vector<StageMark> stages = {};  ///< all that were to be graded, where there are points
  double points = 0;
  int max_points = 0;

  State state() const;
  bool has_points() const { return state() == State::graded || state() == State::by_hand; }
  int late_days() const;
  const StageMark* stage(const std::string& id) const;
};

/// "graded", "by hand", "not graded", "missing"
std::string_view to_string(Mark::State state);

/// Points of a test, with what the instructor says of it.
double points_of(const Mark& mark, const std::string& stage, const TestResult& test);

/// Adds up a mark's points: of tests, less what being late costs, and what is added by hand.
void add_up(Mark& mark, const std::vector<std::string>& stages, const Rubric& rubric,
            const Deadlines& deadlines, const std::vector<std::size_t>& students);

/// "7.5", "8": up to two decimals.
std::string points_in_words(double points);

/// "handed in 2026-11-22 10:00 +0100 (Gradescope), 2 days late, of them 1 free: 10% less"; empty
/// where nothing is known of it.
std::string time_in_words(const Mark& mark);

}  // namespace tilewise::grading
