#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "common/base/language.hpp"
#include "grading/bench/bench_report.hpp"
#include "grading/builder/layout.hpp"
#include "grading/cli/submission.hpp"
#include "grading/labreport/lab_report.hpp"
#include "grading/measure/commands.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

namespace fs = std::filesystem;

std::string readable_text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream || fs::is_directory(file)) {
    throw CannotGrade(tr("cannot read {}", printable(file.string())));
  }
  return text.str();
}

BenchReport measurements_in(const fs::path& file) {
  try {
    return read_bench_report(nlohmann::json::parse(readable_text_of(file)));
  } catch (const CannotGrade&) {
    throw;
  } catch (const std::exception& error) {
    throw CannotGrade(
        tr("{} holds no measurements of lab bench --json: {}", file.string(), error.what()));
  }
}

/// Returns the stages in the file that the options ask for, and removes the rows of all others from
/// `report`.
std::vector<StageInfo> stages_in(BenchReport& report, const ReportOptions& options) {
  std::set<std::string> present;
  for (const BenchRow& row : report.rows) present.insert(row.stage);
  std::vector<StageInfo> found;
  for (const StageInfo& stage : stages()) {
    if (present.erase(stage.id) > 0) found.push_back(stage);
  }
  if (!present.empty()) {
    throw CannotGrade(tr("{} has figures of a stage '{}' that this course does not have",
                         options.measurements.string(), *present.begin()));
  }
  if (found.empty()) throw CannotGrade(tr("{} has no figures", options.measurements.string()));
  if (options.bench.stages.empty()) return found;

  const std::vector<StageInfo> wanted = choose_stages(options.bench.stages, stages());
  const auto is_wanted = [&](const std::string& id) {
    return std::ranges::find(wanted, id, &StageInfo::id) != wanted.end();
  };
  std::erase_if(report.rows, [&](const BenchRow& row) { return !is_wanted(row.stage); });
  return wanted;
}

}  // namespace

bool report(const ReportOptions& options) {
  BenchReport measured;
  std::vector<StageInfo> chosen;
  if (options.measurements.empty()) {
    chosen = choose_stages(options.bench.stages, stages());
    demand_writable(options.output);
    measured = measure(options.bench);
  } else {
    measured = measurements_in(options.measurements);
    chosen = stages_in(measured, options);
    demand_writable(options.output);
  }
  std::vector<StageNotes> notes = read_stage_notes(layout().root, chosen);
  for (StageNotes& stage : notes) {
    if (options.predictions_of) stage.predictions = options.predictions_of(stage.id);
  }
  write_output(options.output, lab_report_page(measured, notes));
  std::cout << tr("{}: the laboratory report, {}\n", printable(options.output.string()),
                  where_taken(measured));
  if (is_sound(measured)) return true;
  std::cout << tr("Some results are wrong or missing; the report says which.\n");
  return false;
}

}  // namespace tilewise::grading
