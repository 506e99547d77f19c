#pragma once

#include <filesystem>

#include "grading/cli/bench.hpp"

namespace tilewise::grading {

/// What `lab report` is asked for.
struct ReportOptions {
  BenchOptions bench;                  ///< what to measure
  std::filesystem::path measurements;  ///< of `lab bench --json`, instead; empty: measures
  std::filesystem::path output = "report.html";
};

/// `lab report`: writes the laboratory report of the student's kernels, or of the solutions.
/// @return whether all calls of these could be timed and were right
/// @throws CannotGrade, std::runtime_error where the request cannot be met
bool report(const ReportOptions& options);

}  // namespace tilewise::grading
