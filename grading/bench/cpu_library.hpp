#pragma once

#include <compare>
#include <optional>

#include "grading/bench/bench_cases.hpp"
#include "grading/profile/named_call.hpp"

namespace tilewise::grading {

/// What a call computes, for a library on the CPU.
struct CpuWork {
  Problem problem = Problem::product;
  bool double_precision = false;
  int m = 0;  ///< rows of C, or the order of A where A * X = B is solved
  int n = 0;  ///< columns of C, or of B

  auto operator<=>(const CpuWork&) const = default;
};

/// The work of a call; nothing where BLAS has no function for it.
std::optional<CpuWork> cpu_work_of(Problem problem, const NamedCall& call);

/// Milliseconds that OpenBLAS takes for it on this machine, the median of a few.
double cpu_ms(const CpuWork& work);

}  // namespace tilewise::grading
