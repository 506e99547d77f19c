/// \file
/// The commands that grade, with their options from the command line.
#pragma once

#include <functional>
#include <vector>

#include "grading/cli/submission.hpp"
#include "grading/results/emitters.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// The options of `tilewise grade` on the command line.
struct GradeOptions : Run {
  std::vector<Output> outputs;  ///< beside what is printed
  /// Whether each test's result is written at once, without what is hidden, to the descriptor that
  /// Command::on_event reads, as a line {"test": ..., "printed": ...}. Once files are written
  /// {"graded": true} follows; then {"test": name, "numbers": rest of its message}, if the numbers
  /// behind a fault are known; and {"test": name, "mended": hint}, if a change is found that mends
  /// a kernel.
  bool tells_events = false;
  /// Is called with the result once it is printed and written.
  std::function<void(const GradeResult&)> on_result;
};

/// Grades, prints to standard output and writes the result files.
/// If the user ends it, what is known by then is printed and written nevertheless.
/// @return whether all passed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool grade(const GradeOptions& options);

/// Grades a stage on the simulator and, if tests of results, safety or memory fail, tries small
/// changes of its kernels (grading/repair). Prints what is wrong and what mends it.
/// @return whether it passes, or a change was found that makes it pass
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool mend(const Run& run);

}  // namespace tilewise::grading
