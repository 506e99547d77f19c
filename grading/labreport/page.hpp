#pragma once

#include <string>
#include <vector>

#include "grading/bench/bench_report.hpp"
#include "grading/labreport/figures.hpp"
#include "grading/labreport/stage_notes.hpp"

namespace tilewise::grading {

/// The laboratory report as one HTML file that needs nothing beside it, for the screen and for A4.
/// @param stages  in this order, also those that nothing was measured of
/// @param styles  text of a style sheet
std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages,
                            const std::string& styles, const Draw& draw);

}  // namespace tilewise::grading
