#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "grading/trace/trace.hpp"

namespace tilewise::grading {

/// Barrier intervals of a block, both included.
struct Intervals {
  int first = 0;
  int last = 0;
};

/// The threads of a block that touch an element, by element.
using ThreadsByElement = std::map<ElementNumber, std::set<std::uint32_t>>;

struct TouchedElements {
  ThreadsByElement loaded;   ///< from device memory
  ThreadsByElement used;     ///< read in shared memory, where another thread may have put it
  ThreadsByElement written;  ///< in device memory
};

TouchedElements touched_elements(const Trace& trace, const TraceBlock& block, Intervals intervals);

}  // namespace tilewise::grading
