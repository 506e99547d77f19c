#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>

#include "grading/results/result.hpp"

namespace tilewise::grading {

struct TerminalStyle {
  bool colours = false;
  bool progress = false;  ///< shows progress on a line that is overwritten
};

/// Returns what standard output supports: colours and progress on a terminal only, and no colours
/// if NO_COLOR is set (no-color.org) or the terminal is dumb.
TerminalStyle style_of_standard_output();

/// Prints a grade while grading runs. All text from outside passes through printable() first.
class TerminalReport {
 public:
  TerminalReport(std::ostream& out, TerminalStyle style);

  void begin_stage(std::string_view id);

  /// Shows the current activity until the next line is printed. It shows nothing if the output is
  /// not a terminal.
  void show_progress(std::string_view doing);
  /// Does the same with a progress bar in front.
  void show_progress(std::string_view doing, std::size_t done, std::size_t total);
  void clear_progress();

  /// Says once why no test of the stage, or no further one, could be judged.
  void explain_stage(const Finding& why);

  /// Prints one line for a test, and the finding of a test that passed.
  void print_test(const TestResult& test);

  /// Prints what is wrong with a stage, each cause once and the nearest first. Then it prints what
  /// the student's code printed in one test; `printed` has that by test name.
  void print_causes(const StageResult& stage, const std::map<std::string, std::string>& printed);

  /// Prints a table of stages and points, and the total.
  void print_points(const GradeResult& grade);

  /// Prints the same, and the device and seed.
  void print_summary(const GradeResult& grade, std::uint64_t seed);

 private:
  void print_explanation(const Finding& why);
  std::string coloured(Status status, std::string_view text) const;
  std::string bold(std::string_view text) const;

  std::ostream& out_;
  TerminalStyle style_;
  bool progress_shown_ = false;
};

}  // namespace tilewise::grading
