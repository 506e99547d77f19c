#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/theory/matmul_counts.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/predictions.hpp"

/// What `lab bench` found as charts and as a laboratory report, drawn by tools/page.
namespace tilewise::grading {

/// An order from which a grid fills a GTX 1080, as put2025 has it.
struct SaturatingOrder {
  std::string block;  ///< as BenchRow::block
  theory::Tiling tiling;
  int published = 0;
};

/// What a lab report says of a stage whatever was measured.
struct StageNotes {
  std::string id;
  std::string title;                   ///< "Stage 3: tiles in shared memory", from the handout
  std::string purpose;                 ///< its first paragraph
  std::vector<std::string> accesses;   ///< formulas, from its stage.json
  std::vector<std::string> questions;  ///< that the student answers
  std::vector<SaturatingOrder> saturating_orders = {};  ///< that stage.json names
  std::vector<KeptPrediction> predictions = {};         ///< that the student made of it
};

/// @param root  of the course
/// @throws std::runtime_error naming the file that lacks something
std::vector<StageNotes> read_stage_notes(const std::filesystem::path& root,
                                         const std::vector<StageInfo>& stages);

/// The laboratory report as one HTML file that needs nothing beside it, for the screen and for A4.
/// @param stages  in this order, also those that nothing was measured of
std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages);

/// A chart as SVG, and what its file is called without ".svg".
struct NamedChart {
  std::string name;
  std::string svg;
};

/// Rate, time, CGMA and GIPS against n for each function, called STAGE-FUNCTION-rate or STAGE-rate,
/// ...-time, ...-cgma, ...-gips; and the rates of all versions, called versions-PROBLEM. Rows
/// without figures are left out, and so are charts without points of the subject.
std::vector<NamedChart> charts_of(const BenchReport& report);

/// Writes FOLDER/NAME.svg for each chart; makes the folder where it is missing.
/// @throws std::runtime_error naming what cannot be written
void write_charts(const std::filesystem::path& folder, const BenchReport& report);

}  // namespace tilewise::grading
