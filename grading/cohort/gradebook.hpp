#pragma once

#include <string>
#include <vector>

#include "grading/cohort/marks.hpp"

namespace tilewise::grading {

/// How a test went over all submissions that were graded.
struct TestStatistics {
  std::string stage, test;
  Category category = Category::correctness;
  int passed = 0, failed = 0, others = 0;  ///< others: skipped, inconclusive, error

  double passed_pct() const;  ///< of those that passed or failed; 0 where none did
};

/// In the order of the stages and tests of the first submission that was graded. A submission of
/// several students counts once.
std::vector<TestStatistics> statistics_of(const std::vector<Mark>& marks);

/// What became of a test in one student's submission; nullptr where it was not run.
const TestResult* result_of(const Mark& mark, const TestStatistics& test);

/// A row for each student: name, status, points, points of each stage, why there are none, when it
/// was handed in, late days, comments, number and address. As RFC 4180 has it, with a byte order
/// mark for spreadsheets; what they would take for a formula is quoted with an apostrophe.
std::string gradebook_csv(const std::vector<Mark>& marks, const std::vector<std::string>& stages);

/// A row for each student, and a column for each test.
std::string tests_csv(const std::vector<Mark>& marks);

/// A row for each test: stage, test, category, passed, failed, others, passed in percent.
std::string statistics_csv(const std::vector<Mark>& marks);

/// The table that Moodle's gradebook imports (Grades, Import, CSV file): by number or address.
std::string moodle_csv(const std::vector<Mark>& marks, const std::string& title);

/// The table that Canvas' gradebook imports, with the columns of its own export.
/// @param students  of the roster, by which Canvas knows them
std::string canvas_csv(const std::vector<Mark>& marks, const std::vector<Student>& students,
                       const std::string& title);

/// All of it as one page that needs no network: how many have how many points, the gradebook, which
/// its headings sort, with links to feedback/NAME.txt, the points of each test, and the tests that
/// most failed.
/// @param settings  how and when all were graded, in words
std::string gradebook_html(const std::vector<Mark>& marks, const std::vector<std::string>& stages,
                           const std::string& title, const std::string& settings);

}  // namespace tilewise::grading
