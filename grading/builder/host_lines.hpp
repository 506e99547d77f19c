#pragma once

#include <set>
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

}  // namespace tilewise::grading
