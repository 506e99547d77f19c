#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "grading/labreport/number_text.hpp"
#include "grading/labreport/peaks.hpp"
#include "grading/labreport/sections.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

using Figure = std::optional<double> (*)(const BenchRow&);

const BenchRow* fastest_at(const std::vector<Line>& lines, int n) {
  const BenchRow* best = nullptr;
  for (const Line& line : lines) {
    const BenchRow* row = row_at(line, n);
    if (row == nullptr || !has_figures(*row)) continue;
    if (best == nullptr || row->ms < best->ms) best = row;
  }
  return best;
}

Cell cell_of(const BenchRow* row, Figure figure, const BenchRow* best) {
  if (row == nullptr) return {no_figure};
  if (!row->problem.empty()) return {"failed", Cell::Mark::wrong};
  if (row->right == false) return {"wrong", Cell::Mark::wrong};
  const auto value = figure(*row);
  if (!value) return {no_figure};
  return {significant(*value), row == best ? Cell::Mark::best : Cell::Mark::none};
}

/// The lines over the orders; of the fastest line at each order the figure stands out, where
/// `mark_best` says so.
Table over_orders(const LineGroup& group, const std::vector<Line>& lines, Html caption,
                  Figure figure, bool mark_best) {
  Table table{std::move(caption),
              {{group.function.empty() ? "function" : "block", true}},
              {},
              Table::Width::narrow};
  const std::vector<int> orders = orders_of(group.lines);
  for (const int n : orders) table.columns.push_back({fmt::format("n\u00a0=\u00a0{}", n)});
  for (const Line& line : lines) {
    std::vector<Cell> cells = {{line.name}};
    for (const int n : orders) {
      const BenchRow* best = mark_best ? fastest_at(group.lines, n) : nullptr;
      cells.push_back(cell_of(row_at(line, n), figure, best));
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

const BenchRow* last_with_figures(const Line& line) {
  const auto row =
      std::ranges::find_if(line.rows.rbegin(), line.rows.rend(),
                           [](const BenchRow* candidate) { return has_figures(*candidate); });
  return row == line.rows.rend() ? nullptr : *row;
}

/// What is known of the largest order beside the rate.
void add_share_and_limiter(Table& table, const std::vector<Line>& lines,
                           const core::GpuProfile& gpu) {
  table.columns.push_back({"of the peak"});
  table.columns.push_back({"limited by (modelled)", true});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const BenchRow* row = last_with_figures(lines[i]);
    const bool on_gpu = row != nullptr && row->contender != Contender::openblas;
    const auto peak = on_gpu ? peak_of(gpu, *row) : std::nullopt;
    table.rows[i].push_back({peak ? fmt::format("{:.1f}%", 100 * row->rate / *peak) : no_figure});
    table.rows[i].push_back({row == nullptr || row->limiter.empty() ? no_figure : row->limiter});
  }
}

bool any_has(const std::vector<Line>& lines, Figure figure) {
  return std::ranges::any_of(lines, [&](const Line& line) {
    return std::ranges::any_of(line.rows, [&](const BenchRow* row) {
      return has_figures(*row) && figure(*row).has_value();
    });
  });
}

std::string unit_of(const LineGroup& group) {
  for (const Line& line : group.lines) {
    if (const BenchRow* row = last_with_figures(line)) return row->unit;
  }
  return "rate";
}

bool gips_measured(const LineGroup& group) {
  return std::ranges::any_of(group.lines, [](const Line& line) {
    return std::ranges::any_of(line.rows, &BenchRow::gips_measured);
  });
}

}  // namespace

Html result_tables(const LineGroup& group, const BenchReport& report) {
  const std::string where = where_taken(report);
  std::vector<Line> all = group.lines;
  all.insert(all.end(), group.others.begin(), group.others.end());

  Table rates = over_orders(
      group, all, unit_of(group) + ", " + where + "; the fastest of each order in bold",
      [](const BenchRow& row) { return std::optional(row.rate); }, true);
  rates.width = Table::Width::usual;
  add_share_and_limiter(rates, all, report.gpu);
  Html further = html_of(over_orders(
      group, all, "Time of a call in ms, " + where,
      [](const BenchRow& row) { return std::optional(row.ms); }, true));

  const Figure gips = [](const BenchRow& row) { return row.gips; };
  if (any_has(group.lines, gips)) {
    const char* how = gips_measured(group) ? "by Nsight Compute" : "modelled";
    further += html_of(over_orders(group, group.lines,
                                   fmt::format("GIPS: 10⁹ instructions of warps a second, {}", how),
                                   gips, false));
  }
  const Figure cgma = [](const BenchRow& row) { return row.cgma; };
  if (any_has(group.lines, cgma)) {
    further += html_of(over_orders(group, group.lines,
                                   "CGMA as counted: operations an element of global memory", cgma,
                                   false));
  }
  return html_of(rates) + element("div", {{"class", "tables"}}, further);
}

}  // namespace tilewise::grading
