#pragma once

#include <string>
#include <vector>

#include "grading/results/result.hpp"

namespace tilewise::grading {

/// How fast a test found a kernel to be.
struct MeasuredRate {
  std::string measurement;  ///< as the test calls it: "gflops", "gb_s_gemv"
  double value = 0;

  bool operator==(const MeasuredRate&) const = default;
};

/// The rate that a test measured or modelled, without those of other orders beside it; of a test
/// that has several kernels the rate of each.
std::vector<MeasuredRate> rates_of(const TestResult& test);

/// "GFLOPS" or "GB/s".
std::string unit_of(const std::string& measurement);

}  // namespace tilewise::grading
