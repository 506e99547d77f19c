#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/cohort/marks.hpp"

namespace tilewise::grading {

/// The outcomes of a test in all graded submissions.
struct TestStatistics {
  std::string stage, test;
  Category category = Category::correctness;
  int passed = 0, failed = 0, others = 0;  ///< others: skipped, inconclusive, error

  double passed_pct() const;  ///< of those that passed or failed; 0 if there are none
};

/// Returns the statistics of each test, in the order of the stages and tests of the first graded
/// submission. A submission of several students counts once.
std::vector<TestStatistics> statistics_of(const std::vector<Mark>& marks);

/// Returns a test's result in one student's submission; nullptr if the test was not run.
const TestResult* result_of(const Mark& mark, const TestStatistics& test);

/// Returns a table with a row for each student: name, status, points, points of each stage, why
/// there are none, when it was handed in, late days, comments, number and address. The format is
/// that of RFC 4180, with a byte order mark for spreadsheets; text that they would take for a
/// formula is quoted with an apostrophe.
std::string gradebook_csv(const std::vector<Mark>& marks, const std::vector<std::string>& stages);

/// Returns a table with a row for each student and a column for each test.
std::string tests_csv(const std::vector<Mark>& marks);

/// Returns a table with a row for each test: stage, test, category, passed, failed, others, passed
/// in percent.
std::string statistics_csv(const std::vector<Mark>& marks);

/// Returns the table that Moodle's gradebook imports (Grades, Import, CSV file). It identifies
/// students by number or address.
std::string moodle_csv(const std::vector<Mark>& marks, const std::string& title);

/// Returns the table that Canvas' gradebook imports, with the columns of its own export.
/// @param students  of the roster, whose cells identify them in Canvas
std::string canvas_csv(const std::vector<Mark>& marks, const std::vector<Student>& students,
                       const std::string& title);

/// Returns all of it as one page that needs no network: the distribution of points, the gradebook,
/// which can be sorted by its headings and links to feedback/NAME.txt, the points of each test, and
/// the tests that most students failed.
/// @param settings  how and when all were graded, in words
std::string gradebook_html(const std::vector<Mark>& marks, const std::vector<std::string>& stages,
                           const std::string& title, const std::string& settings);

/// Returns the text that a student reads: first what is wrong, nearest the cause, then which files
/// were graded and when they were handed in, what an instructor says, each test and why it failed,
/// and a table of points. Hidden tests show their points only. Each error is stated once.
/// @param sources  what was taken from the submission
/// @param stages   the graded ones; a student whose submission could not be graded is told what
///                 they expect
std::string feedback_text(const Mark& mark, const std::filesystem::path& sources,
                          const std::vector<std::string>& stages);

/// Returns the same for Gradescope, as its results.json.
std::string gradescope_file(const Mark& mark);

/// The functions below make parts of the pages that instructors read, of one gradebook or of a
/// term.

/// Returns a whole page, with its style and the script that sorts its tables.
/// @param body  markup
std::string page_of(const std::string& title, const std::string& body);

/// Returns a table that its headings sort; the first cell of a row is the row's heading.
/// @param headings  text
/// @param rows      markup, as row_of() makes it
std::string sorted_table(const std::string& caption, const std::vector<std::string>& headings,
                         const std::vector<std::string>& rows);

/// A cell of a row.
struct PageCell {
  std::string markup;
  std::string style = {};  ///< CSS class, such as "failed"; may be empty
  std::string key = {};    ///< what it is sorted by, if not by its text
};

/// @param style  CSS class of the row, such as "ungraded"; may be empty
std::string row_of(const std::string& heading_markup, const std::vector<PageCell>& cells,
                   const std::string& style);

/// The points of a student who has some.
struct PointsOf {
  double points, max_points;
};

/// Returns how many students there are, mean and median, and how many have which tenth of all
/// points.
/// @param counts  in words: "3 submissions: 2 graded, 1 not."
std::string distribution(const std::string& counts, const std::vector<PointsOf>& all);

}  // namespace tilewise::grading
