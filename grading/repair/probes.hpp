#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/repair/statements.hpp"

/// Probes: accesses that print their indices and variables when a kernel makes them.
namespace tilewise::grading {

/// An access that is to print its indices and variables.
struct Probe {
  int line = 0;
  std::string array;   ///< as the kernel calls it
  std::string matrix;  ///< the matrix that `array` leads to, if it is a pointer of the kernel's own
  bool is_of_extents = false;          ///< `array` has known extents, such as `As[16][17]`
  bool is_of_pointers = false;         ///< `array` holds pointers into the matrix
  std::vector<Part> brackets = {};     ///< the contents of each pair; none: a pointer's target
  Part replaced = {0, 0};              ///< the tokens that become `(probe, tokens)`
  std::vector<std::string> told = {};  ///< the expressions to report, in this order
};

/// The character that begins a probe's output, in front of a blank. No kernel prints it.
constexpr char probe_mark = '\036';

/// A source with probes at the accesses that a finding may be about, for the threads that it names.
/// Each probe prints a line of its own: the mark, the probe's number, the block, the thread, the
/// indices in its brackets, the number of elements in each dimension (0: unknown), the pointer's
/// offset in its matrix, and the expressions to report. The source keeps its line numbers.
struct ProbedSource {
  std::vector<Probe> probes;
  std::string text;
};
ProbedSource with_probes(const core::Finding& finding, std::string_view source);

}  // namespace tilewise::grading
