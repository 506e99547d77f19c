#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/watch.hpp"

namespace tilewise::grading {

/// The line of a kernel to look at first.
struct WorstLine {
  simt::LineCounters line;
  std::string why;  ///< "bank conflicts: a request takes 32.0 wavefronts where 1.0 would do"
};

/// The line that wastes most, by scattered accesses or bank conflicts; where little is wasted, the
/// one that does most. Nothing without lines.
std::optional<WorstLine> worst_line(const std::vector<simt::LineCounters>& lines);

/// What a student can do about a limiter that the model names (theory::KernelTime::limiter): one
/// sentence or two. Empty for a name that is not the model's.
std::string limiter_advice(std::string_view limiter);

}  // namespace tilewise::grading
