/// \file
/// The commands that grade, as the command line asks for them.
#pragma once

#include <functional>
#include <vector>

#include "grading/cli/submission.hpp"
#include "grading/results/emitters.hpp"
#include "grading/results/result.hpp"

namespace tilewise::grading {

/// `tilewise grade` as asked for on the command line.
struct GradeOptions : Run {
  std::vector<Output> outputs;  ///< beside what is printed
  /// Has each test's result as it comes written to the descriptor that Command::on_event is for,
  /// as lines {"test": ..., "printed": ...} without what is hidden. Once files are written comes
  /// {"graded": true}, where the numbers behind a fault are known {"test": name, "numbers": rest of
  /// its message}, and where a change is found that mends a kernel {"test": name, "mended": hint}.
  bool tells_events = false;
  /// Gets the result once it is printed and written.
  std::function<void(const GradeResult&)> on_result;
};

/// Grades, prints to standard output and writes the result files.
/// Where the user ends it, what is known by then is printed and written all the same.
/// @return whether all passed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool grade(const GradeOptions& options);

/// Grades a stage's results and safety on the simulator and, where they fail, tries small changes
/// of its kernels (grading/repair). Prints what is wrong and what mends it.
/// @return whether it passes, or a change was found that makes it pass
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool mend(const Run& run);

}  // namespace tilewise::grading
