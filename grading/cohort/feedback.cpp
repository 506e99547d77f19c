#include "grading/cohort/feedback.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "grading/cli/submission.hpp"
#include "grading/cohort/intake.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/emitters.hpp"
#include "grading/results/for_students.hpp"
#include "grading/results/printable.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

/// A stage's tests as the student sees them, with what an instructor gave for each.
GradeResult shown_to_student(const Mark& mark) { return without_hidden(*mark.graded.result); }

/// Which hidden test is meant is told by its number alone.
std::string shown_test(const Mark& mark, const Remark& remark) {
  if (!mark.graded.result) return remark.test;
  const GradeResult shown = shown_to_student(mark);
  for (std::size_t i = 0; i < shown.stages.size(); ++i) {
    const auto& tests = mark.graded.result->stages[i].tests;
    const auto test = std::ranges::find(tests, remark.test, &TestResult::name);
    if (shown.stages[i].id == remark.stage && test != tests.end()) {
      return shown.stages[i].tests[static_cast<std::size_t>(test - tests.begin())].name;
    }
  }
  return remark.test;
}

std::string remark_in_words(const Mark& mark, const Remark& remark) {
  std::string text = remark.stage;
  if (!remark.test.empty()) text += " " + shown_test(mark, remark);
  if (remark.points) {
    const bool is_added = remark.test.empty();
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ": ",
                        is_added && *remark.points > 0 ? "+" : "", points_in_words(*remark.points),
                        std::abs(*remark.points) == 1 ? "point" : "points");
  }
  if (!remark.comment.empty()) text += (text.empty() ? "" : ": ") + remark.comment;
  return fmt::format("  {}\n", printable(text));
}

std::string remarks_in_words(const Mark& mark) {
  if (mark.remarks.empty()) return "";
  std::string text = "\nBy hand, from your instructor:\n";
  for (const Remark& remark : mark.remarks) text += remark_in_words(mark, remark);
  return text;
}

/// Which files these were, so that nobody wonders whether the last one counted.
std::string files_in_words(const Mark& mark, const fs::path& sources) {
  std::string text;
  for (const fs::path& place : places_in(sources)) {
    const auto origin = origin_of(sources, place);
    if (!origin) continue;
    text += fmt::format("  {}, as {}\n    SHA-256 {}\n", printable(origin->path), place.string(),
                        origin->sha256);
  }
  if (!text.empty()) text = "Graded:\n" + text;
  if (const std::string time = time_in_words(mark); !time.empty()) text += "  " + time + "\n";
  for (const std::string& note : mark.notes) text += fmt::format("  {}\n", printable(note));
  return text;
}

/// What being late and what an instructor has made of the points that the tests gave.
std::string sum_in_words(const Mark& mark) {
  const bool is_sum_of_tests = mark.graded.result && mark.points == mark.graded.result->score;
  return is_sum_of_tests || !mark.has_points()
             ? ""
             : fmt::format("\n{} of {} points in all.\n", points_in_words(mark.points),
                           mark.max_points);
}

}  // namespace

std::string feedback_text(const Mark& mark, const fs::path& sources) {
  std::ostringstream text;
  if (!mark.graded.result) {
    if (mark.submission.empty()) {
      text << "Nothing was handed in.\n";
    } else {
      text << fmt::format(
          "Could not be graded: {}\n\nHand in a folder or an archive that holds your files where "
          "the course has them, labs/NN_topic/*.cu, or those files by themselves, each as plain "
          "text under the name that it has there. If it does, show this to your instructor.\n",
          mark.graded.problem);
    }
    text << remarks_in_words(mark) << sum_in_words(mark);
    return text.str();
  }
  TerminalReport report(text, {});
  const GradeResult shown = shown_to_student(mark);
  for (const StageResult& stage : shown.stages) {
    report.begin_stage(stage.id);
    report.print_causes(stage, {});
    if (!causes_of(stage).empty()) text << '\n';
    for (const TestResult& test : stage.tests) report.print_test(test);
  }
  report.print_points(shown);
  text << files_in_words(mark, sources) << remarks_in_words(mark) << sum_in_words(mark)
       << fmt::format("\nGraded on {}, backend {}.\n", printable(shown.device), shown.backend);
  return text.str();
}

std::string gradescope_file(const Mark& mark) {
  if (!mark.graded.result) {
    nlohmann::ordered_json document = gradescope_document(feedback_text(mark, {}));
    document["score"] = mark.points;
    return to_file(document);
  }
  nlohmann::ordered_json document = gradescope_document(*mark.graded.result, 0);
  document.erase("execution_time");
  document["score"] = mark.points;
  document["output"] = document["output"].get<std::string>() + "\n" +
                       printable(time_in_words(mark)) + remarks_in_words(mark);
  std::size_t next = 0;
  for (const StageResult& stage : mark.graded.result->stages) {
    for (const TestResult& test : stage.tests) {
      document["tests"][next++]["score"] = points_of(mark, stage.id, test);
    }
  }
  return to_file(document);
}

}  // namespace tilewise::grading
