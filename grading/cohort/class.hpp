#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/cohort/cohort.hpp"
#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/engines.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/cohort/ledger.hpp"
#include "grading/cohort/marks.hpp"
#include "grading/cohort/roster.hpp"
#include "grading/examiner/rubric.hpp"

namespace tilewise::grading {

/// Who hands in what, how it is graded, and what else is known of each student.
struct Class {
  Intake intake;
  Roster roster;         ///< with pseudonyms, if there are any
  Roster real_students;  ///< with real names
  Rubric rubric;
  CohortSettings settings;
  Deadlines deadlines;
  std::vector<Remark> remarks;
  std::filesystem::path pseudonyms;  ///< the file that tells who is who; empty if there are none
  bool has_roster = false;

  const std::vector<CohortEntry>& entries() const { return intake.entries; }
};

/// Reads all that the command line names.
/// @throws CannotGrade
Class class_of(const CohortOptions& options);

/// Returns the result of a submission, as far as it is known.
GradedSubmission graded_of(const std::string& name, const Ledger& ledger,
                           const std::vector<Undone>& undone);

/// Returns a row for each student, in alphabetical order, and one for each submission that is
/// nobody's.
/// @param undone  what is known of submissions without a result
std::vector<Mark> marks_of(const Class& of_all, const Ledger& ledger,
                           const std::vector<Undone>& undone);

/// Writes the gradebook, statistics, feedback and the files that platforms import, and prints how
/// many submissions there are.
/// @return how many rows are about something that was handed in and not graded
/// @throws CannotGrade if the files cannot be written
std::size_t write_reports(const Class& of_all, const Ledger& ledger,
                          const std::vector<Undone>& undone);

}  // namespace tilewise::grading
