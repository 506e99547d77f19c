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

/// An instructor's remark on a student's work, from a line of the file of points.
struct Remark {
  std::size_t student = 0;                      ///< index in the roster
  std::string stage = {};                       ///< empty if it is about all of the work
  std::string test = {};                        ///< empty if it is about the whole stage
  std::optional<double> points = std::nullopt;  ///< in place of the test's, or added to the stage's
  std::string comment = {};
};

/// Reads a table with the columns student, stage, test, points and comment, of which only student
/// is required. Points for a test replace those that it earned; others are added.
/// @throws CannotGrade naming the line, if a student, stage or test is not known, points exceed
///         those of a test, a test occurs twice, or the line says nothing
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

  std::string name;  ///< the student's, or that of a submission that is nobody's
  std::string id = {}, email = {};
  std::string submission = {};   ///< empty if there is none
  GradedSubmission graded = {};  ///< the outcome of that submission
  HandedInAt at = {};
  std::vector<std::string> notes = {};
  std::vector<Remark> remarks = {};
  std::vector<StageMark> stages = {};  ///< all that were to be graded, if there are points
  double points = 0;
  int max_points = 0;

  State state() const;
  bool has_points() const { return state() == State::graded || state() == State::by_hand; }
  int late_days() const;
  const StageMark* stage(const std::string& id) const;
};

/// Returns "graded", "by hand", "not graded" or "missing".
std::string_view to_string(Mark::State state);

/// Returns the points of a test: the instructor's if there are any, otherwise those that it earned.
double points_of(const Mark& mark, const std::string& stage, const TestResult& test);

/// Adds up a mark's points: those of the tests, minus what being late costs, plus those by hand.
void add_up(Mark& mark, const std::vector<std::string>& stages, const Rubric& rubric,
            const Deadlines& deadlines, const std::vector<std::size_t>& students);

/// Returns points with up to two decimals, such as "7.5" or "8".
std::string points_in_words(double points);

/// Returns "handed in 2026-11-22 10:00 +0100 (Gradescope), 2 days late, of them 1 free: 10% less";
/// empty if nothing is known of the time.
std::string time_in_words(const Mark& mark);

}  // namespace tilewise::grading
