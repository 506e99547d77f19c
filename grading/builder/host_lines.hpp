#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Lines of a source on which nvcc lets stand what no GPU has, although a kernel leads there.
struct HostLines {
  /// Of a conditional that asks for `__CUDA_ARCH__`: of what the simulator compiles of it nvcc
  /// makes code for the host alone.
  std::set<int> asking;
  /// Of functions that are `__host__ __device__`: nvcc warns of calls that it would refuse in
  /// others.
  std::set<int> of_both;
};

HostLines host_lines(std::string_view source);

/// The source with a mark, a word of its own, behind each `#if`, `#elif` and `#else`: what a
/// preprocessor leaves of the marks tells which parts it took.
/// @param mark that nothing in the source can be told to spell
std::string with_marks(std::string_view source, const std::string& mark);

/// The source as a preprocessor took it: without conditional directives, and without the parts that
/// they left out. Line numbers stay; directives of other kinds do, too.
/// @param left what the preprocessor made of with_marks(source, mark)
std::string without_conditionals(std::string_view source, const std::string& mark,
                                 std::string_view left);

}  // namespace tilewise::grading
