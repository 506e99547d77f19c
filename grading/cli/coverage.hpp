#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace tilewise::grading {

/// `tilewise coverage` as asked for on the command line.
struct CoverageOptions {
  std::string stage;
  bool solutions = false;            ///< look at solutions/ rather than labs/
  std::filesystem::path submission;  ///< look at this folder's labs/; empty: the course's own
  std::uint64_t seed = 0;
};

/// Runs a stage's tests on the simulator and prints to standard output which lines of its kernel
/// files they reached. Returns whether there was something to print; else the reason was printed.
/// @throws CannotGrade, std::runtime_error, Interrupted.
bool coverage(const CoverageOptions& options);

}  // namespace tilewise::grading
