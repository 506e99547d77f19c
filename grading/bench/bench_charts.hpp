#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"
#include "grading/bench/bench_views.hpp"
#include "grading/charts/chart.hpp"

namespace tilewise::grading {

/// Rate, time and CGMA against n, as put2014 draws them, with a line for each of the group's (of
/// many the fastest) and, but for CGMA, for the other contenders on the GPU. Rows without figures
/// are left out, and so are charts without points of the subject.
/// @param where  the figures were taken, as where_taken()
/// @return charts called STAGE-FUNCTION-rate or STAGE-rate, ...-time, ...-cgma
std::vector<NamedChart> charts_of(const LineGroup& group, const std::string& where);

/// The rates of all versions, called versions-PROBLEM.
NamedChart chart_of(const VersionComparison& comparison, const std::string& where);

/// All of the above.
std::vector<NamedChart> charts_of(const BenchReport& report);

}  // namespace tilewise::grading
