#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/finding.hpp"
#include "grading/repair/statements.hpp"

/// Accesses of a source that write out their numbers when they are made.
namespace tilewise::grading {

/// An access that is to write out its numbers.
struct Probe {
  int line = 0;
  std::string array;                   ///< as the kernel calls it
  std::string matrix;                  ///< that it leads to, if it is a pointer of the kernel's own
  bool is_of_extents = false;          ///< an array with sides, as `As[16][17]`
  bool is_of_pointers = false;         ///< an array whose elements lead to the matrix
  std::vector<Part> brackets = {};     ///< what stands in each; none: what it points to
  Part replaced = {0, 0};              ///< by it and what is written out
  std::vector<std::string> told = {};  ///< expressions, in the order in which they are told
};

/// What stands in front of what a probe writes, and a blank behind it: no kernel prints it.
constexpr char probe_mark = '\036';

/// A source with probes, at the accesses that a finding may be of, for the threads that it names.
/// One writes, on a line of its own behind the mark, its number among these, the block and the
/// thread, what stands in its brackets, how many elements each of these has (0: not known), how far
/// the pointer lies in its matrix, and what is told. Lines stay where they are.
struct ProbedSource {
  std::vector<Probe> probes;
  std::string text;
};
ProbedSource with_probes(const core::Finding& finding, std::string_view source);

}  // namespace tilewise::grading
