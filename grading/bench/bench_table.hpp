#pragma once

#include <string>

#include "grading/bench/bench_report.hpp"

namespace tilewise::grading {

/// The report as a table for each function and block, at most 100 columns wide.
std::string bench_table(const BenchReport& report);

}  // namespace tilewise::grading
