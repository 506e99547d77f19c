#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"
#include "grading/bench/bench_views.hpp"
#include "grading/labreport/figures.hpp"
#include "grading/labreport/html.hpp"
#include "grading/labreport/stage_notes.hpp"

/// The parts of a lab report.
namespace tilewise::grading {

/// Limits and peaks of the GPU.
Html gpu_section(const BenchReport& report);

/// Theoretical occupancy of a group's kernels; empty where it is not known.
Html occupancy_table(const LineGroup& group);

/// Access counts and CGMA by formula and as counted; empty where there are none.
Html access_table(const LineGroup& group);

/// Rate, time, GIPS and CGMA for each line and order.
Html result_tables(const LineGroup& group, const BenchReport& report);

/// In words, what the tables leave out: kernels that are not written or failed, wrong results,
/// results that nobody has checked.
Html remarks(const std::string& stage, const BenchReport& report);

/// A stage: what it is, all of the above, charts, and room for conclusions.
Html stage_section(const StageNotes& notes, const BenchReport& report, const Draw& draw);

/// All versions of each problem, side by side; empty where there is nothing to compare.
Html comparison_section(const BenchReport& report, const Draw& draw);

/// Questions with room for their answers. `id` tells the boxes of several calls apart.
Html conclusions(const std::string& id, const std::vector<std::string>& questions);

}  // namespace tilewise::grading
