#pragma once

#include <filesystem>
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

/// What a student is to read: first what is wrong, nearest the cause, then which files were graded
/// and when they were handed in, what an instructor says, each test and why it failed, and a table
/// of points. Of hidden tests their points alone. What is wrong stands there once.
/// @param sources  what was taken from the submission
/// @param stages   that are graded: whose submission could not be is told what they expect
std::string feedback_text(const Mark& mark, const std::filesystem::path& sources,
                          const std::vector<std::string>& stages);

/// The same for Gradescope: its results.json.
std::string gradescope_file(const Mark& mark);

/// Parts of the pages that instructors read: of one gradebook, and of a term's.

/// A whole page, with its style and what sorts its tables where scripts run.
/// @param body  markup
std::string page_of(const std::string& title, const std::string& body);

/// A table that its headings sort; the first cell of a row is its heading.
/// @param headings  text
/// @param rows      markup, as row_of() makes it
std::string sorted_table(const std::string& caption, const std::vector<std::string>& headings,
                         const std::vector<std::string>& rows);

/// A cell of a row.
struct PageCell {
  std::string markup;
  std::string style = {};  ///< class: "failed"; empty: none
  std::string key = {};    ///< what it is sorted by, where that is not what it says
};

/// @param style  class of the row: "ungraded"; empty: none
std::string row_of(const std::string& heading_markup, const std::vector<PageCell>& cells,
                   const std::string& style);

/// Points of one who has some.
struct PointsOf {
  double points, max_points;
};

/// How many there are, mean and median, and how many have which tenth of all points.
/// @param counts  in words: "3 submissions: 2 graded, 1 not."
std::string distribution(const std::string& counts, const std::vector<PointsOf>& all);

}  // namespace tilewise::grading
