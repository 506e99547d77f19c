#pragma once

#include <vector>

#include "grading/bench/bench_report.hpp"
#include "grading/cli/bench_plan.hpp"
#include "grading/results/terminal.hpp"

namespace tilewise::grading {

/// Compiles and runs what the plan has of a stage.
/// @return rows by function, block, contender and n
std::vector<BenchRow> bench_stage(const BenchPlan& plan, const StageInfo& stage,
                                  TerminalReport& terminal);

}  // namespace tilewise::grading
