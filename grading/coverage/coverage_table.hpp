#pragma once

#include <string>
#include <vector>

#include "grading/coverage/line_counts.hpp"

namespace tilewise::grading {

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
