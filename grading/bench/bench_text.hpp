#pragma once

#include <string>

#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

/// The report as a table for each function and block, at most 100 columns wide.
std::string bench_table(const BenchReport& report);

/// The report's rows as CSV (RFC 4180) with a line of names above; what is not known is empty.
std::string bench_csv(const BenchReport& report);

}  // namespace tilewise::grading
