#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/model/matmul_counts.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/course/stages.hpp"
#include "grading/profile/predictions.hpp"
#include "grading/profile/profile_report.hpp"

/// The results of `lab bench` as charts and as a laboratory report, drawn by tools/page.
namespace tilewise::grading {

/// A matrix order from which a grid fills a GTX 1080, as published in put2025.
struct SaturatingOrder {
  std::string block;  ///< as BenchRow::block
  model::Tiling tiling;
  int published = 0;
};

/// The parts of a lab report on a stage that do not depend on measurements.
struct StageNotes {
  std::string id;
  std::string title;                   ///< "Stage 3: tiles in shared memory", from the handout
  std::string purpose;                 ///< the handout's first paragraph
  std::vector<std::string> accesses;   ///< formulas, from its stage.json
  std::vector<std::string> questions;  ///< for the student to answer
  std::vector<SaturatingOrder> saturating_orders = {};  ///< from its stage.json
  std::vector<KeptPrediction> predictions = {};         ///< made by the student
};

/// @param root  of the course
/// @throws std::runtime_error naming the file that lacks something
std::vector<StageNotes> read_stage_notes(const std::filesystem::path& root,
                                         const std::vector<StageInfo>& stages);

/// The data of a GPU that pictures need: its table in the report, and the roofs of rooflines.
nlohmann::ordered_json gpu_document(const core::GpuProfile& gpu);

/// Draws calls below the roofs of their GPU, as SVG, by operations per byte of DRAM and per byte of
/// shared memory.
/// @param reports at least one, all on one GPU
/// @throws CannotDraw if a call computes nothing, or its time is not known
std::string roofline_of(const std::vector<ProfileReport>& reports);

/// The laboratory report as one HTML file that needs no other files, for the screen and for A4.
/// @param stages  in this order, including those without measurements
std::string lab_report_page(const BenchReport& report, const std::vector<StageNotes>& stages);

/// A chart as SVG, and the name of its file without ".svg".
struct NamedChart {
  std::string name;
  std::string svg;
};

/// Draws rate, time, CGMA and GIPS against n for each function, called STAGE-FUNCTION-rate or
/// STAGE-rate, ...-time, ...-cgma, ...-gips, and its roofline, ...-roofline. For all versions of a
/// problem it draws the rates, called versions-PROBLEM, and the roofline. Rows without figures are
/// left out, and so are charts without points of the subject.
std::vector<NamedChart> charts_of(const BenchReport& report);

/// Writes FOLDER/NAME.svg for each chart; makes the folder if it is missing.
/// @throws std::runtime_error naming the file that cannot be written
void write_charts(const std::filesystem::path& folder, const BenchReport& report);

}  // namespace tilewise::grading
