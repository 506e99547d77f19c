#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"
#include "grading/report/emitters.hpp"
#include "grading/report/result.hpp"

namespace tilewise::grading {

/// `tilewise grade` as asked for on the command line.
struct GradeOptions : Run {
  std::vector<Output> outputs;  ///< beside what is printed
  /// Gets the result once it is printed and written.
  std::function<void(const GradeResult&)> on_result;
};

/// Grades, prints to standard output and writes the result files.
/// Where the user ends it, what is known by then is printed and written all the same.
/// @return whether all passed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool grade(const GradeOptions& options);

}  // namespace tilewise::grading
