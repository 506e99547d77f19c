#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grading/coverage/line_counts.hpp"

namespace tilewise::grading {

/// The command that reads what programs of `compiler` have counted: the gcov of its version, or
/// llvm-cov for clang.
/// @throws std::runtime_error saying what to install
std::vector<std::string> gcov_command(const std::vector<std::string>& compiler);

/// A source whose object counts.
struct CountedSource {
  std::filesystem::path source;
  std::string name;  ///< that the compiler knows it by: a relative path
  /// Without its extension: gcov's notes and counts lie at `object`.gcno and .gcda. Other files are
  /// written beside them.
  std::filesystem::path object;
};

/// Adds to `counts` what was counted.
/// @throws std::runtime_error with what gcov says
void add_counts(const std::vector<std::string>& gcov, const CountedSource& counted,
                LineCounts& counts);

}  // namespace tilewise::grading
