#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "common/base/language.hpp"
#include "common/process/command.hpp"
#include "common/process/sandbox.hpp"
#include "grading/builder/source_file.hpp"
#include "grading/guide/guide.hpp"
#include "grading/results/causes.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"
#include "grading/watch/watch.hpp"

namespace tilewise::grading {

using Orders = WatchState::Orders;

void WatchState::enter(Phase phase, Time now) {
  phase_ = phase;
  since_ = now;
}

Orders WatchState::stopped() const {
  return phase_ == Phase::grading ? Orders{Order::stop_grading} : Orders{};
}

Orders WatchState::begin(bool grade_at_once, Time now) {
  Orders orders = stopped();
  view_ = View::stage;
  enter(grade_at_once ? Phase::grading : Phase::waiting, now);
  if (grade_at_once) orders.push_back(Order::start_grading);
  return orders;
}

Orders WatchState::file_changed(Time now) {
  const Orders orders = stopped();
  view_ = View::stage;
  enter(Phase::settling, now);
  return orders;
}

Orders WatchState::key_pressed(char key, Time now) {
  switch (std::tolower(static_cast<unsigned char>(key))) {
    case 'h':
      view_ = View::hint;
      return {Order::show_hint};
    case 'l':
      view_ = view_ == View::list ? View::stage : View::list;
      return {};
    case 'r':
      return begin(true, now);
    case 'n': {
      Orders orders = stopped();
      enter(Phase::waiting, now);
      orders.push_back(Order::go_on);
      return orders;
    }
    case 'q': {
      Orders orders = stopped();
      enter(Phase::waiting, now);
      orders.push_back(Order::quit);
      return orders;
    }
    default:
      view_ = View::stage;
      return {};
  }
}

Orders WatchState::grading_ended(Time now) {
  if (phase_ == Phase::grading) enter(Phase::graded, now);
  return {};
}

Orders WatchState::tick(Time now) {
  if (phase_ == Phase::settling && now - since_ >= quiet) {
    enter(Phase::grading, now);
    return {Order::start_grading};
  }
  if (phase_ == Phase::grading && now - since_ >= longest_grading) {
    enter(Phase::timed_out, now);
    return {Order::stop_grading};
  }
  return {};
}

namespace {

std::string coloured(const char* code, std::string_view text, const Canvas& canvas) {
  return canvas.colours ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

constexpr const char *bold = "1", *green = "32", *red = "31", *bold_green = "1;32",
                     *bold_red = "1;31";

std::size_t width_of(const Canvas& canvas) { return std::min(canvas.columns, readable_width); }

std::string points(const StageResult& stage) {
  return tr("{} of {} points", stage.score, stage.max_score);
}

/// Returns text such as "8 of 9 tests", counting only tests that were run.
std::string tests_passed(const StageResult& stage) {
  const auto passed = [](const TestResult& test) { return test.status == Status::passed; };
  const auto ran = [](const TestResult& test) { return test.status != Status::skipped; };
  return tr("{} of {} tests", std::ranges::count_if(stage.tests, passed),
            std::ranges::count_if(stage.tests, ran));
}

/// Returns the rates that tests reached, one per line.
std::string rates(const StageResult& stage) {
  std::string text;
  for (const TestResult& test : stage.tests) {
    if (test.category != Category::performance || test.finding.message.empty()) continue;
    text += fmt::format("{}\n", printable(test.finding.message));
  }
  return text;
}

/// Cuts a line to the width of the screen, so that the terminal does not wrap it.
std::string clipped(std::string_view line, const Canvas& canvas) {
  if (line.size() <= canvas.columns) return std::string(line);
  std::size_t end = canvas.columns - 1;
  while (end > 0 && (line[end] & 0xC0) == 0x80) --end;  // does not split a UTF-8 character
  return std::string(line.substr(0, end)) + ">";
}

/// Returns as many lines of a comparison as there is room for, in colours.
std::string comparison(const std::string& differences, const StageInfo& stage, std::size_t room,
                       const Canvas& canvas) {
  std::string_view rest = differences;
  std::string text;
  for (std::size_t shown = 0; !rest.empty() && shown < room; ++shown) {
    const std::string_view line = take_line(rest);
    const std::string shown_line = clipped(line, canvas);
    const char* colour = line.starts_with('-') ? red : line.starts_with('+') ? green : nullptr;
    text += (colour ? coloured(colour, shown_line, canvas) : shown_line) + '\n';
  }
  if (const auto more = std::ranges::count(rest, '\n'); more > 0) {
    text += wrapped(
        tr("... and {} more lines: compare labs/{} with solutions/{}", more, stage.id, stage.id),
        "", width_of(canvas));
  }
  return text;
}

/// Returns what the student's code printed in the test `told`, or else in the first test that has
/// output.
std::string printed_lines(const Findings& found, const TestResult* told, const Canvas& canvas) {
  auto printed = told ? found.printed.find(told->name) : found.printed.end();
  if (printed == found.printed.end()) printed = found.printed.begin();
  if (printed == found.printed.end()) return "";
  std::string text =
      wrapped(tr("Your code printed in {}:", printable(printed->first)), "", width_of(canvas));
  const std::string all = printable(printed->second);
  std::string_view rest = all;
  constexpr int few = 6;
  for (int shown = 0; !rest.empty() && shown < few; ++shown) {
    text += clipped("  | " + std::string(take_line(rest)), canvas) + '\n';
  }
  if (!rest.empty()) text += "  | ...\n";
  return text + '\n';
}

/// Says where the fault is, what happened and what to do next.
std::string explanation(const StageResult& stage, const TestResult& test, const Canvas& canvas) {
  std::string text;
  if (!test.finding.file.empty()) {
    const std::string line = test.finding.line > 0 ? fmt::format(":{}", test.finding.line) : "";
    text += fmt::format("  labs/{}/{}{}\n", stage.id, printable(test.finding.file), line);
  }
  text += wrapped(printable(test.finding.message), "  ", width_of(canvas));
  if (!test.finding.hint.empty())
    text += wrapped(tr("Next: {}", printable(test.finding.hint)), "  ", width_of(canvas));
  return text;
}

/// Lists the keys, as many per line as fit.
std::string keys(std::size_t columns) {
  std::string text;
  std::size_t width = 0;
  for (const std::string& key :
       {tr("h hint"), tr("n next"), tr("l list"), tr("r run again"), tr("q quit")}) {
    constexpr std::string_view between = "   ";
    if (width > 0 && width + between.size() + key.size() > columns) {
      text += '\n';
      width = 0;
    } else if (width > 0) {
      text += between;
      width += between.size();
    }
    text += key;
    width += key.size();
  }
  return text;  // no line feed at the end, which would scroll the screen
}

}  // namespace

std::string result_view(const Findings& found, const std::string& device, const Canvas& canvas) {
  const StageResult& stage = found.stage;
  std::vector<Cause> causes = causes_of(stage);
  std::erase_if(causes, [](const Cause& cause) { return cause.told->status == Status::skipped; });
  const TestResult* told = causes.empty() ? nullptr : causes.front().told;
  // All tests failed for one reason.
  const bool is_ungraded = told && stage.status == Status::error;
  std::string text;
  if (told) {
    if (!is_ungraded) text += coloured(bold, printable(told->name), canvas) + "\n";
    text += explanation(stage, *told, canvas);
    if (!is_ungraded) {
      text += wrapped(printable(follow_ups(causes.front())), "  ", width_of(canvas));
    }
    std::vector<std::string> others;
    for (const Cause& cause : causes) {
      if (cause.told != told && !is_ungraded) others.push_back(printable(cause.told->name));
    }
    if (!others.empty()) {
      text += wrapped(tr("After that: {}", fmt::join(others, ", ")), "", width_of(canvas));
    }
    text += "\n";
  }
  text += printed_lines(found, told, canvas);
  if (is_ungraded) return text + coloured(bold_red, tr("Nothing could be graded"), canvas) + "\n";
  if (device.empty()) return text + tr("{} passed so far\n", tests_passed(stage));
  const std::string verdict =
      tr("{} passed, {}  ({})\n", tests_passed(stage), points(stage), printable(device));
  return text + wrapped(verdict, "", width_of(canvas));
}

std::string passed_view(const Findings& found, const StageInfo& info, const Passed& passed,
                        const Canvas& canvas) {
  const std::size_t width = width_of(canvas);
  std::string after = printed_lines(found, nullptr, canvas);
  if (!passed.notes.empty()) {
    after += tr("\nWhy it is written so:\n") + wrapped(passed.notes, "", width);
  }
  after += tr("More in solutions/{}/NOTES.md\n\n", info.id);
  const std::string praise = tr("*** {} passed: {}. Well done! ***", info.id, points(found.stage));
  after += coloured(bold_green, praise, canvas) + "\n" + wrapped(rates(found.stage), "", width);
  after += wrapped(passed.next.empty()
                       ? tr("Press n: there is no other stage left.")
                       : tr("Press n to go on to {}, or go on with this one.", passed.next),
                   "", width);
  if (passed.differences.empty()) return tr("Your code is the solution's.\n") + after;
  const auto others = static_cast<std::size_t>(std::ranges::count(after, '\n'));
  constexpr std::size_t frame = 9;  // lines for title, heading, progress bar and keys
  const std::size_t room = canvas.rows > others + frame ? canvas.rows - others - frame : 0;
  return tr("What the reference solution does differently (- yours, + the solution's):\n\n") +
         comparison(passed.differences, info, room, canvas) + after;
}

std::string screen(const StageInfo& stage, const std::string& body,
                   const std::vector<StageInfo>& course, const Progress& progress,
                   const Canvas& canvas) {
  std::vector<std::string> files;
  for (const std::string& source : stage.sources) {
    files.push_back(fmt::format("labs/{}/{}", stage.id, source));
  }
  std::string text = coloured(bold, tr("Watching {}", fmt::join(files, ", ")), canvas);
  text += "\n\n" + body;
  if (!text.ends_with('\n')) text += '\n';
  text += "\n" + progress_bar(course, progress, std::min<std::size_t>(canvas.columns, 60)) + "\n";
  return text + keys(canvas.columns);
}

namespace {

/// Returns the solution as a student would have written it, without the lines that mark the
/// student's part.
std::string without_markers(std::string_view solution) {
  std::string text;
  while (!solution.empty()) {
    const std::string_view line = take_line(solution);
    const std::size_t first = line.find_first_not_of(" \t");
    const bool marks = first != line.npos && line.substr(first).starts_with("// lab:");
    if (!marks) text += fmt::format("{}\n", line);
  }
  return text;
}

}  // namespace

std::string compare_with_solution(const std::filesystem::path& root, const StageInfo& stage) {
  const ScratchDirectory scratch;
  std::string differences;
  for (const std::string& source : stage.sources) {
    const std::string mine = fmt::format("labs/{}/{}", stage.id, source);
    const std::string solution = fmt::format("solutions/{}/{}", stage.id, source);
    const auto unmarked = scratch.path() / source;
    std::ofstream(unmarked, std::ios::binary) << without_markers(text_of(root / solution));
    Command diff;
    diff.arguments = {"diff",    "-b",     "-U1", "--label",   mine,
                      "--label", solution, "--",  root / mine, unmarked};
    diff.time_limit_s = 10;
    const CommandResult result = run_command(std::move(diff));
    const bool compared = result.ending == CommandResult::Ending::exited && result.status < 2;
    if (compared) {
      differences += printable(result.output);
    } else {
      differences +=
          tr("{} and {} could not be compared: diff {}\n", mine, solution, describe_ending(result));
    }
  }
  return differences;
}

}  // namespace tilewise::grading
