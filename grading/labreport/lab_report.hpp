#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/model/matmul_counts.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/predictions.hpp"
#include "grading/profile/profile_report.hpp"

/// What `lab bench` found as charts and as a laboratory report, drawn by tools/page.
namespace tilewise::grading {

/// An order from which a grid fills a GTX 1080, as put2025 has it.
struct SaturatingOrder {
  std::string block;  ///< as BenchRow::block
  model::Tiling tiling;
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

/// What pictures need to know of a GPU: its table in the report, and the roofs of rooflines.
nlohmann::ordered_json gpu_document(const core::GpuProfile& gpu);

/// Calls below the roofs of their GPU, as SVG: operations a byte of DRAM and of shared memory.
/// @param reports at least one, all on one GPU
/// @throws CannotDraw where a call computes nothing, or no time is known of it
std::string roofline_of(const std::vector<ProfileReport>& reports);

/// The laboratory report as one HTML file that needs nothing beside it, for the screen and for A4.
/// @param stages  in this order, also those that nothing was measured of
std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages);

/// A chart as SVG, and what its file is called without ".svg".
struct NamedChart {
  std::string name;
  std::string svg;
};

/// Rate, time, CGMA and GIPS against n for each function, called STAGE-FUNCTION-rate or STAGE-rate,
/// ...-time, ...-cgma, ...-gips, and its roofline, ...-roofline; and of all versions the rates,
/// called versions-PROBLEM, and the roofline. Rows without figures are left out, and so are charts
/// without points of the subject.
std::vector<NamedChart> charts_of(const BenchReport& report);

/// Writes FOLDER/NAME.svg for each chart; makes the folder where it is missing.
/// @throws std::runtime_error naming what cannot be written
void write_charts(const std::filesystem::path& folder, const BenchReport& report);

}  // namespace tilewise::grading
