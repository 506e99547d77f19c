#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"
#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

/// `lab cohort grade` as asked for on the command line.
struct CohortOptions : Run {
  std::filesystem::path submissions;  ///< of a class, as take_in() knows it
  std::filesystem::path out;          ///< folder for results, feedback and gradebook
  int jobs = 0;  ///< submissions at a time; 0: as many as there are cores, or as Slurm likes
  std::string engine = "local";  ///< or "slurm"
  std::string sbatch;            ///< more arguments for it
};

/// One job of a cluster: which submission of a cohort to grade.
struct CohortTask {
  std::filesystem::path out;
  std::string batch;
  std::size_t number = 0;
};

/// Grades every submission of a folder. A run that was stopped goes on where it was.
/// @throws CannotGrade, also where a cluster left some undone; Interrupted
void grade_cohort(const CohortOptions& options);

/// Prints who hands in what, and what of it would be graded; grades nothing.
/// @throws CannotGrade
void show_intake(const std::filesystem::path& submissions);

/// Grades the submission that a task is for, unless that is done.
/// @throws CannotGrade, Interrupted
void grade_one(const CohortTask& task);

/// A row of a gradebook.
struct GradebookRow {
  std::string name;
  GradedSubmission graded;
};

/// How a test went over all submissions that were graded.
struct TestStatistics {
  std::string stage, test;
  Category category = Category::correctness;
  int passed = 0, failed = 0, others = 0;  ///< others: skipped, inconclusive, error

  double passed_pct() const;  ///< of those that passed or failed; 0 where none did
};

/// In the order of the stages and tests of the first submission that was graded.
std::vector<TestStatistics> statistics_of(const std::vector<GradebookRow>& rows);

/// A row for each submission: name, status ("graded" or "not graded"), points, points of each
/// stage, and why it was not graded. As RFC 4180 has it; what a spreadsheet would take for a
/// formula is quoted with an apostrophe.
std::string gradebook_csv(const std::vector<GradebookRow>& rows);

/// A row for each test: stage, test, category, passed, failed, others, passed in percent.
std::string statistics_csv(const std::vector<GradebookRow>& rows);

/// Both as one page that needs no network: the gradebook with links to feedback/NAME.txt, and the
/// tests that most failed.
std::string gradebook_html(const std::vector<GradebookRow>& rows, const std::string& title);

}  // namespace tilewise::grading
