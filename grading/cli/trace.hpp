#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/cli/submission.hpp"

namespace tilewise::grading {

/// `tilewise trace` as asked for on the command line.
struct TraceOptions : Run {
  std::string call;  ///< "matmul_shared(n=16, tile=8)"; empty: the stage's own
  /// Of the page; empty: trace.html, or none where there is a figure.
  std::filesystem::path output;
  std::filesystem::path figure;  ///< empty: none
  std::string view = "matrices";
  std::string intervals;             ///< of the figure: "3" or "0-1"; empty: chosen
  std::vector<std::string> threads;  ///< of the figure: "1,0"; empty: chosen
};

/// Runs one call of a contract function on the checked simulator and writes what its threads did in
/// memory as a page, a figure, or both. Returns whether there was something to draw; else the
/// reason was printed.
/// @throws CannotGrade, CannotTrace, BadCall, and std::runtime_error for an unknown GPU or where
/// Tilewise itself is broken.
bool trace(const TraceOptions& options);

}  // namespace tilewise::grading
