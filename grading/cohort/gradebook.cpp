#include "grading/cohort/gradebook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "grading/cohort/deadlines.hpp"
#include "grading/cohort/tables.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

/// Returns all comments as the text of one cell.
std::string comments_of(const Mark& mark) {
  std::string text;
  for (const Remark& remark : mark.remarks) {
    if (remark.comment.empty()) continue;
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ",
                        remark.stage.empty() ? "" : remark.stage + ": ", remark.comment);
  }
  return text;
}

std::string points_or_nothing(const Mark& mark) {
  return mark.has_points() ? points_in_words(mark.points) : "";
}

/// Returns what a student reads beside the points on a platform.
std::string platform_comment(const Mark& mark) {
  const std::string time = mark.late_days() > 0 ? time_in_words(mark) : "";
  const std::string comments = comments_of(mark);
  return time + (time.empty() || comments.empty() ? "" : "; ") + comments;
}

}  // namespace

double TestStatistics::passed_pct() const {
  const int judged = passed + failed;
  return judged == 0 ? 0 : 100.0 * passed / judged;
}

std::vector<TestStatistics> statistics_of(const std::vector<Mark>& marks) {
  std::vector<TestStatistics> all;
  std::set<std::string> counted;
  for (const Mark& mark : marks) {
    if (!mark.graded.result || !counted.insert(mark.submission).second) continue;
    for (const StageResult& stage : mark.graded.result->stages) {
      for (const TestResult& test : stage.tests) {
        auto found = std::ranges::find_if(all, [&](const TestStatistics& known) {
          return known.stage == stage.id && known.test == test.name;
        });
        if (found == all.end()) {
          found = all.insert(all.end(), {stage.id, test.name, test.category, 0, 0, 0});
        }
        found->passed += test.status == Status::passed;
        found->failed += test.status == Status::failed;
        found->others += test.status != Status::passed && test.status != Status::failed;
      }
    }
  }
  return all;
}

const TestResult* result_of(const Mark& mark, const TestStatistics& test) {
  if (!mark.graded.result) return nullptr;
  const auto& stages = mark.graded.result->stages;
  const auto stage = std::ranges::find(stages, test.stage, &StageResult::id);
  if (stage == stages.end()) return nullptr;
  const auto found = std::ranges::find(stage->tests, test.test, &TestResult::name);
  return found == stage->tests.end() ? nullptr : &*found;
}

std::string gradebook_csv(const std::vector<Mark>& marks, const std::vector<std::string>& stages) {
  std::vector<std::string> headings = {"name", "status", "score", "max_score"};
  headings.insert(headings.end(), stages.begin(), stages.end());
  headings.insert(headings.end(), {"problem", "handed_in", "late_days", "comments", "id", "email"});
  std::string csv = byte_order_mark + csv_row(headings);
  for (const Mark& mark : marks) {
    std::vector<std::string> cells = {mark.name, std::string(to_string(mark.state())),
                                      points_or_nothing(mark),
                                      mark.has_points() ? std::to_string(mark.max_points) : ""};
    for (const std::string& id : stages) {
      const StageMark* stage = mark.stage(id);
      cells.push_back(stage == nullptr ? "" : points_in_words(stage->points));
    }
    cells.push_back(first_line(mark.graded.problem));
    cells.push_back(mark.at.time ? in_words(*mark.at.time) : mark.at.marked_late ? "late" : "");
    cells.push_back(mark.at.time && mark.has_points() ? std::to_string(mark.late_days()) : "");
    cells.insert(cells.end(), {comments_of(mark), mark.id, mark.email});
    csv += csv_row(cells);
  }
  return csv;
}

std::string tests_csv(const std::vector<Mark>& marks) {
  const std::vector<TestStatistics> tests = statistics_of(marks);
  std::vector<std::string> headings = {"name"};
  for (const TestStatistics& test : tests) headings.push_back(test.stage + ": " + test.test);
  std::string csv = byte_order_mark + csv_row(headings);
  for (const Mark& mark : marks) {
    if (!mark.graded.result) continue;
    std::vector<std::string> cells = {mark.name};
    for (const TestStatistics& test : tests) {
      const TestResult* result = result_of(mark, test);
      cells.push_back(result == nullptr ? ""
                                        : points_in_words(points_of(mark, test.stage, *result)));
    }
    csv += csv_row(cells);
  }
  return csv;
}

std::string statistics_csv(const std::vector<Mark>& marks) {
  std::string csv = byte_order_mark + csv_row({"stage", "test", "category", "passed", "failed",
                                               "others", "passed_pct"});
  for (const TestStatistics& test : statistics_of(marks)) {
    csv += csv_row({test.stage, test.test, std::string(to_string(test.category)),
                    std::to_string(test.passed), std::to_string(test.failed),
                    std::to_string(test.others), fmt::format("{:.1f}", test.passed_pct())});
  }
  return csv;
}

// Source: docs.moodle.org, "Grade import". A grade and its feedback must be imported together. A
// student without a row keeps the grade that is there.
std::string moodle_csv(const std::vector<Mark>& marks, const std::string& title) {
  std::string csv =
      csv_row({"Full name", "ID number", "Email address", title, title + " feedback"});
  for (const Mark& mark : marks) {
    if (!mark.has_points()) continue;
    csv +=
        csv_row({mark.name, mark.id, mark.email, points_or_nothing(mark), platform_comment(mark)});
  }
  return csv;
}

// The format is the one that lib/gradebook_importer.rb of Canvas reads: the first four columns tell
// whose the row is, and below the headings is a row of possible points.
std::string canvas_csv(const std::vector<Mark>& marks, const std::vector<Student>& students,
                       const std::string& title) {
  std::string csv = csv_row({"Student", "ID", "SIS User ID", "SIS Login ID", "Section", title});
  int most = 0;
  for (const Mark& mark : marks) most = std::max(most, mark.max_points);
  csv += csv_row({"    Points Possible", "", "", "", "", std::to_string(most)});
  for (const Mark& mark : marks) {
    const auto student = std::ranges::find(students, mark.name, &Student::name);
    if (!mark.has_points() || student == students.end()) continue;
    const auto cell = [&](const char* heading) {
      const auto found = student->cells.find(heading);
      return found == student->cells.end() ? "" : found->second;
    };
    // Another platform's id may be another student's in Canvas, so the column ID stays empty.
    const bool is_of_canvas = student->cells.contains("sis login id");
    csv += is_of_canvas
               ? csv_row({mark.name, cell("id"), cell("sis user id"), cell("sis login id"),
                          cell("section"), points_or_nothing(mark)})
               : csv_row({mark.name, "", mark.id, mark.email, "", points_or_nothing(mark)});
  }
  return csv;
}

}  // namespace tilewise::grading
