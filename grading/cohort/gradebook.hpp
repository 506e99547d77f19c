#pragma once

#include <string>
#include <vector>

#include "grading/cohort/ledger.hpp"

namespace tilewise::grading {

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

/// Both as one page that needs no network: how many have how many points, the gradebook, which its
/// headings sort, with links to feedback/NAME.txt, and the tests that most failed.
/// @param settings  how all were graded, in words
std::string gradebook_html(const std::vector<GradebookRow>& rows, const std::string& title,
                           const std::string& settings);

}  // namespace tilewise::grading
