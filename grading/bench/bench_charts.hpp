#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"
#include "grading/charts/chart.hpp"

namespace tilewise::grading {

/// Rate, time and CGMA against n, as put2014 draws them: for each function with a choice of blocks
/// a line for each block (of many the fastest), for the others of a stage a line for each function;
/// then for each problem (matrix product, transpose, ...) its versions with their best blocks. The
/// previous stage and the libraries are further lines. Rows without figures are left out, and so
/// are charts without points.
///
/// They are called STAGE-FUNCTION-rate, STAGE-rate, ..., and versions-PROBLEM.
std::vector<NamedChart> charts_of(const BenchReport& report);

/// How the charts of a stage, and those that compare versions, are called at the beginning.
std::string chart_prefix(const std::string& stage);
inline constexpr const char* comparison_prefix = "versions-";

/// What a function computes, whatever the version: "matmul" for "matmul_shared".
std::string problem_of(const std::string& function);

}  // namespace tilewise::grading
