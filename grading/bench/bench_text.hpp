#pragma once

#include <string>

#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

/// Returns the report as one table for each function and block, at most 100 columns wide.
std::string bench_table(const BenchReport& report);

/// Returns the report's rows as CSV (RFC 4180) with a header line; unknown values are empty.
std::string bench_csv(const BenchReport& report);

}  // namespace tilewise::grading
