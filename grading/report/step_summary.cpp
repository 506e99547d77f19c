#include "grading/report/step_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grading/report/feedback.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

/// Text that Markdown and HTML leave alone.
std::string plain(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '\n') {
      escaped += ' ';
    } else if (std::string_view("\\`*_{}[]()#+-.!|~<>&@:").find(c) != std::string_view::npos) {
      escaped += fmt::format("&#{};", static_cast<int>(c));
    } else {
      escaped += c;
    }
  }
  return escaped;
}

/// A block of code whose fence is longer than any run of backquotes in it.
std::string fenced(std::string_view text) {
  const std::string shown = printable(text);
  std::size_t longest = 0, run = 0;
  for (const char c : shown) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fmt::format("{0}text\n{1}{2}{0}\n", fence, shown, shown.ends_with('\n') ? "" : "\n");
}

std::string stage_row(const StageResult& stage) {
  const auto passed = std::ranges::count(stage.tests, Status::passed, &TestResult::status);
  const auto skipped = std::ranges::count(stage.tests, Status::skipped, &TestResult::status);
  return fmt::format("| {} | {} of {} | {}/{} | {} |\n", plain(stage.id), passed,
                     std::ssize(stage.tests) - skipped, stage.score, stage.max_score,
                     to_string(stage.status));
}

std::string details(const StageResult& stage) {
  std::string text;
  for (const TestResult& test : stage.tests) {
    if (test.status == Status::passed || test.status == Status::skipped) continue;
    text += fmt::format("\n<details><summary>{}: {} {}</summary>\n\n", plain(stage.id),
                        plain(test.name), to_string(test.status));
    if (const std::string said = feedback(test); !said.empty()) text += fenced(said);
    text += "\n</details>\n";
  }
  return text;
}

}  // namespace

std::string step_summary(const GradeResult& grade) {
  const GradeResult shown = without_hidden(grade);
  std::string text = fmt::format("## {}/{} points\n\nGraded on {}, backend {}.\n\n", shown.score,
                                 shown.max_score, plain(shown.device), plain(shown.backend)) +
                     "| stage | tests | points | |\n| --- | --- | --- | --- |\n";
  for (const StageResult& stage : shown.stages) text += stage_row(stage);
  for (const StageResult& stage : shown.stages) text += details(stage);
  return text;
}

}  // namespace tilewise::grading
