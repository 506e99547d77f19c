#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// Lines of a source on which nvcc accepts code that no GPU has, although a kernel leads there.
struct HostLines {
  /// Lines of conditionals that test `__CUDA_ARCH__`: of the parts that the simulator compiles,
  /// nvcc makes code only for the host.
  std::set<int> asking;
  /// Lines of `__host__ __device__` functions, where nvcc only warns of calls that it refuses in
  /// other device functions.
  std::set<int> of_both;
};

HostLines host_lines(std::string_view source);

/// Returns the source with a mark, a word of its own, behind each `#if`, `#elif` and `#else`. The
/// marks in a preprocessor's output tell which parts it kept.
/// @param mark a word that the author of the source cannot predict
std::string with_marks(std::string_view source, const std::string& mark);

/// Returns the source as a preprocessor took it: without conditional directives, and without the
/// parts that they leave out. Line numbers and other directives stay.
/// @param left the preprocessor's output for with_marks(source, mark)
std::string without_conditionals(std::string_view source, const std::string& mark,
                                 std::string_view left);

}  // namespace tilewise::grading
