#pragma once

#include <compare>
#include <optional>

#include "grading/bench/bench_cases.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// What a call computes; calls of which this is equal have the same inputs and results.
struct Task {
  const Problem* problem = nullptr;
  bool double_precision = false;
  int m = 0;  ///< columns of the first matrix: the order of A where A * X = B is solved
  int n = 0;  ///< columns of the last one

  auto operator<=>(const Task&) const = default;
};

Task task_of(const Problem& problem, const NamedCall& call);

/// Milliseconds that OpenBLAS takes for it on this machine's processor, the median of a few;
/// nothing where it has no function for it.
std::optional<double> cpu_ms(const Task& task);

}  // namespace tilewise::grading
