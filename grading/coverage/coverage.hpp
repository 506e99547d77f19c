#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// How often each line of a source was run, by its number, from 1. Lines without code are absent.
using LineCounts = std::map<int, std::uint64_t>;

/// Adds to `counts` the counts of a listing that gcov, or llvm-cov gcov, writes for a source of one
/// object: x.cu.gcov. The count of a line of a template is that of all its instances together.
void add_gcov_listing(std::string_view listing, LineCounts& counts);

/// The command that reads the counts of programs built by `compiler`: the gcov of its version, or
/// llvm-cov for clang.
/// @throws std::runtime_error saying what to install
std::vector<std::string> gcov_command(const std::vector<std::string>& compiler);

/// A source whose object file counts the lines that were run.
struct CountedSource {
  std::filesystem::path source;
  std::string name;  ///< a relative path, as the compiler was given it
  /// The object's path without its extension: gcov's notes and counts lie at `object`.gcno and
  /// .gcda. Other files are written beside them.
  std::filesystem::path object;
};

/// Adds the counts of a source to `counts`.
/// @throws std::runtime_error with gcov's output
void add_counts(const std::vector<std::string>& gcov, const CountedSource& counted,
                LineCounts& counts);

/// One source of a submission, and the lines of it that tests reached.
struct SourceCoverage {
  std::string file;                ///< without folders
  std::vector<std::string> lines;  ///< its text
  LineCounts counts;

  std::size_t lines_reached() const;
};

/// Shows the source in a terminal: how much of it was reached, then every line with how often it
/// was run. Lines that no test reached are marked, and red if the terminal has colours.
std::string coverage_table(const SourceCoverage& source, bool colours);

}  // namespace tilewise::grading
