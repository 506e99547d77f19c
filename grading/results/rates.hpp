#pragma once

#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// The rate of a kernel in a test.
struct MeasuredRate {
  std::string measurement;  ///< the test's name for it: "gflops", "gb_s_gemv"
  double value = 0;

  bool operator==(const MeasuredRate&) const = default;
};

/// Returns the rate that a test measured or modelled, without rates for additional orders. For a
/// test of several kernels it returns the rate of each.
std::vector<MeasuredRate> rates_of(const TestResult& test);

/// Returns "GFLOPS" or "GB/s".
std::string unit_of(const std::string& measurement);

}  // namespace tilewise::grading
