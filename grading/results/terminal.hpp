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
  bool progress = false;  ///< a line that is overwritten, saying what is being done
};

/// What standard output can take: colours and progress on a terminal only, and no colours where
/// NO_COLOR is set (no-color.org) or the terminal is dumb.
TerminalStyle style_of_standard_output();

/// Prints a grade as it happens. All text from outside passes printable() first.
class TerminalReport {
 public:
  TerminalReport(std::ostream& out, TerminalStyle style);

  void begin_stage(std::string_view id);

  /// Shows what is being done until the next line is printed; nothing if not on a terminal.
  void show_progress(std::string_view doing);
  /// The same behind a bar that tells how much is done.
  void show_progress(std::string_view doing, std::size_t done, std::size_t total);
  void clear_progress();

  /// Says once why no test of the stage, or none from here on, could be judged.
  void explain_stage(const Finding& why);

  /// One line, and what there is to know of a test that passed.
  void print_test(const TestResult& test);

  /// What is wrong with a stage, each cause once and the nearest first, and what the student's code
  /// printed, by the names of tests.
  void print_causes(const StageResult& stage, const std::map<std::string, std::string>& printed);

  /// Table of stages and points, and the total.
  void print_points(const GradeResult& grade);

  /// The same, and device and seed.
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
