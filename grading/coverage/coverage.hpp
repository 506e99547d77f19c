#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// How often each line of a source was run, by its number, from 1. A line without code is not
/// there.
using LineCounts = std::map<int, std::uint64_t>;

/// Adds to `counts` what gcov, or llvm-cov gcov, writes about a source of one object: x.cu.gcov. A
/// line of a template was run as often as in all its instances together.
void add_gcov_listing(std::string_view listing, LineCounts& counts);

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

/// One source of a submission, and what tests reached of it.
struct SourceCoverage {
  std::string file;                ///< without folders
  std::vector<std::string> lines;  ///< its text
  LineCounts counts;

  std::size_t lines_reached() const;
};

/// The source as a terminal shows it: how much of it was reached, then every line with how often it
/// was run. Lines that no test came to are marked, and red where the terminal has colours.
std::string coverage_table(const SourceCoverage& source, bool colours);

}  // namespace tilewise::grading
