#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iostream>
#include <iterator>

#include "grading/bench/bench_text.hpp"
#include "grading/cli/bench_plan.hpp"
#include "grading/cli/bench_stage.hpp"
#include "grading/cli/commands.hpp"
#include "grading/cli/output_file.hpp"
#include "grading/labreport/lab_report.hpp"
#include "grading/report/json.hpp"
#include "grading/report/terminal.hpp"

namespace tilewise::grading {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[sizeof "2026-11-21"];
  std::strftime(text, sizeof text, "%F", std::localtime(&now));
  return text;
}

/// What measures the same again.
std::string command_of(const BenchOptions& options) {
  std::string command = "lab bench";
  const auto add = [&](const std::string& words) { command += " " + words; };
  for (const std::string& stage : options.stages) add(stage);
  if (options.solutions) add("--solutions");
  if (!options.submission.empty()) add("--submission " + options.submission.string());
  if (options.backend != "auto") add("--backend " + options.backend);
  add("--gpu " + options.gpu);
  if (options.device != "auto") add("--device " + options.device);
  if (!options.orders.empty()) add(fmt::format("--n {}", fmt::join(options.orders, ",")));
  add("--inputs " + options.inputs);
  if (options.inputs == "random") add(fmt::format("--seed {}", options.seed));
  return command;
}

}  // namespace

BenchReport measure(const BenchOptions& options) {
  const BenchPlan plan = make_plan(options);
  BenchReport report;
  report.modelled = plan.backend.backend == Backend::simt;
  report.device = plan.backend.device;
  report.command = command_of(options);
  report.date = today();
  report.inputs = describe(plan.inputs);
  report.gpu = plan.gpu;
  TerminalReport terminal(std::cout, style_of_standard_output());
  for (const StageInfo& stage : plan.stages) {
    std::ranges::move(bench_stage(plan, stage, terminal), std::back_inserter(report.rows));
  }
  terminal.clear_progress();
  return report;
}

bool bench(const BenchOptions& options) {
  demand_writable(options.csv);
  demand_writable(options.json);
  demand_folder("--plots", options.plots);
  const BenchReport report = measure(options);
  std::cout << bench_table(report) << std::flush;
  if (!options.csv.empty()) write_output(options.csv, bench_csv(report));
  if (!options.json.empty()) write_output(options.json, to_file(bench_document(report)));
  if (!options.plots.empty()) write_charts(options.plots, report);
  return is_sound(report);
}

}  // namespace tilewise::grading
