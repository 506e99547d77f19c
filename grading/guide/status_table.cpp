#include "grading/guide/status_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grading/guide/points.hpp"
#include "grading/labreport/number_text.hpp"
#include "grading/report/printable.hpp"

namespace tilewise::grading {
namespace {

std::string unit_name(const std::string& unit) { return unit == "gb_s" ? "GB/s" : "GFLOPS"; }

/// The best rate on each device: "994.0 GFLOPS on gtx1080 (modelled)".
std::vector<std::string> best_rates(const StageProgress& stage) {
  std::vector<std::string> lines;
  for (const auto& [device, by_test] : stage.best) {
    const auto best =
        std::ranges::max_element(by_test, {}, [](const auto& entry) { return entry.second.value; });
    if (best == by_test.end()) continue;
    const Rate& rate = best->second;
    lines.push_back(fmt::format("{} {} on {}", significant(rate.value), unit_name(rate.unit),
                                printable(device)));
  }
  return lines;
}

}  // namespace

std::string status_word(const StageProgress& stage) {
  if (!stage.status) return "not graded yet";
  return *stage.status == Status::error ? "no verdict" : std::string(to_string(*stage.status));
}

std::string status_table(const std::vector<StageInfo>& course, const Progress& progress) {
  std::size_t width = std::string_view("Stage").size();
  for (const StageInfo& stage : course) width = std::max(width, stage.id.size());
  const auto row = [&](std::string_view mark, std::string_view name, std::string_view points,
                       std::string_view status, std::string_view best) {
    std::string line =
        fmt::format("{:1} {:<{}}  {:>7}  {:<14}  {}", mark, name, width, points, status, best);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  const auto score = [](const Points& points) {
    return fmt::format("{}/{}", points.score, points.max_score);
  };

  std::string table = row("", "Stage", "Points", "Status", "Best so far");
  const StageInfo& current = current_stage(progress, course);
  for (const StageInfo& stage : course) {
    const StageProgress known = progress_of(progress, stage.id);
    const std::vector<std::string> best = best_rates(known);
    table += row(stage.id == current.id ? ">" : "", stage.id, score(points_of(progress, stage)),
                 status_word(known), best.empty() ? "" : best.front());
    for (std::size_t i = 1; i < best.size(); ++i) table += row("", "", "", "", best[i]);
  }
  table += row("", "Total", score(points_of(progress, course)),
               fmt::format("{} of {} passed", count_passed(progress, course), course.size()), "");
  return table;
}

}  // namespace tilewise::grading
