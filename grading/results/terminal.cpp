#include "grading/results/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>

#include "common/base/language.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

constexpr std::string_view reset = "\033[0m";
constexpr std::string_view indent = "      ";

/// Returns the lines of a text, each with `prefix` in front, or nothing for an empty text.
std::string prefixed(std::string_view text, std::string_view prefix) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines += fmt::format("{}{}\n", prefix, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string points(int score, int max_score) {
  return max_score == 0 ? "-" : fmt::format("{}/{}", score, max_score);
}

std::string measurements(const TestResult& test) {
  std::string text;
  for (const auto& [name, value] : test.measurements) {
    text += fmt::format("  {} {:.4g}", printable(name), value);
  }
  return text;
}

}  // namespace

TerminalStyle style_of_standard_output() {
  const bool on_terminal = isatty(STDOUT_FILENO) == 1;
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  const bool capable = term != nullptr && std::string_view(term) != "dumb";
  return {.colours = on_terminal && wanted && capable, .progress = on_terminal && capable};
}

TerminalReport::TerminalReport(std::ostream& out, TerminalStyle style) : out_(out), style_(style) {}

void TerminalReport::begin_stage(std::string_view id) {
  clear_progress();
  out_ << bold(id) << '\n' << std::flush;
}

void TerminalReport::show_progress(std::string_view doing) {
  if (!style_.progress) return;
  clear_progress();
  out_ << "  " << printable(doing) << " ..." << std::flush;
  progress_shown_ = true;
}

void TerminalReport::show_progress(std::string_view doing, std::size_t done, std::size_t total) {
  constexpr std::size_t width = 20;
  const std::size_t filled = total == 0 ? 0 : std::min(done, total) * width / total;
  show_progress(
      fmt::format("[{:=<{}}{: <{}}] {}/{} {}", "", filled, "", width - filled, done, total, doing));
}

void TerminalReport::explain_stage(const Finding& why) {
  clear_progress();
  print_explanation(why);
  out_ << std::flush;
}

void TerminalReport::print_test(const TestResult& test) {
  clear_progress();
  // The status is padded before it is coloured, since colour codes would count as width.
  const std::string status = fmt::format("{:<12}", in_words(test.status));
  out_ << fmt::format("  {} {:>5}  {}{}\n", coloured(test.status, status),
                      points(test.score, test.max_score), printable(test.name), measurements(test));
  if (test.status == Status::passed) print_explanation(test.finding);
  out_ << std::flush;
}

void TerminalReport::print_causes(const StageResult& stage,
                                  const std::map<std::string, std::string>& printed) {
  clear_progress();
  const std::vector<Cause> causes = causes_of(stage);
  for (const Cause& cause : causes) {
    const std::string status = in_words(cause.told->status);
    out_ << fmt::format("\n  {} {}\n", coloured(cause.told->status, status),
                        printable(cause.told->name));
    print_explanation(cause.told->finding);
    out_ << wrapped(printable(follow_ups(cause)), indent);
  }
  auto said = causes.empty() ? printed.end() : printed.find(causes.front().told->name);
  if (said == printed.end()) said = printed.begin();
  if (said != printed.end()) {
    out_ << tr("\n{}Your code printed in {}:\n", indent, printable(said->first))
         << prefixed(printable(said->second), fmt::format("{}| ", indent));
  }
  out_ << std::flush;
}

void TerminalReport::print_points(const GradeResult& grade) {
  clear_progress();
  std::size_t width = tr("Stage").size();
  for (const StageResult& stage : grade.stages) width = std::max(width, stage.id.size());

  const auto row = [&](std::string_view name, std::string_view tests, std::string_view score) {
    return fmt::format("{:<{}}  {:>6}  {:>7}", name, width, tests, score);
  };
  out_ << '\n' << bold(row(tr("Stage"), tr("Tests"), tr("Points"))) << '\n';
  for (const StageResult& stage : grade.stages) {
    const auto counts = [](const TestResult& test) { return test.status != Status::skipped; };
    const auto passed = [](const TestResult& test) { return test.status == Status::passed; };
    const auto ran = fmt::format("{}/{}", std::ranges::count_if(stage.tests, passed),
                                 std::ranges::count_if(stage.tests, counts));
    out_ << row(stage.id, ran, points(stage.score, stage.max_score)) << "  "
         << coloured(stage.status, in_words(stage.status)) << '\n';
  }
  out_ << bold(row(tr("Total"), "", points(grade.score, grade.max_score))) << "\n\n";
}

void TerminalReport::print_summary(const GradeResult& grade, std::uint64_t seed) {
  print_points(grade);
  out_ << tr("Graded on {}, backend {}. The same inputs again: --seed {}\n",
             printable(grade.device), grade.backend, seed)
       << std::flush;
}

void TerminalReport::clear_progress() {
  if (!progress_shown_) return;
  out_ << "\r\033[K";
  progress_shown_ = false;
}

void TerminalReport::print_explanation(const Finding& why) {
  if (!why.file.empty()) {
    const std::string line = why.line > 0 ? fmt::format(":{}", why.line) : "";
    out_ << indent << printable(why.file) << line << '\n';
  }
  out_ << wrapped(printable(why.message), indent);
  if (!why.hint.empty()) out_ << wrapped(tr("Next: {}", printable(why.hint)), indent);
}

std::string TerminalReport::coloured(Status status, std::string_view text) const {
  if (!style_.colours) return std::string(text);
  constexpr std::string_view green = "\033[32m", red = "\033[31m", yellow = "\033[33m";
  const bool bad = status == Status::failed || status == Status::error;
  const std::string_view colour = status == Status::passed ? green : bad ? red : yellow;
  return fmt::format("{}{}{}", colour, text, reset);
}

std::string TerminalReport::bold(std::string_view text) const {
  return style_.colours ? fmt::format("\033[1m{}{}", text, reset) : std::string(text);
}

}  // namespace tilewise::grading
