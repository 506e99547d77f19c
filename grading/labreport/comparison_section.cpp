#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "grading/bench/bench_charts.hpp"
#include "grading/labreport/number_text.hpp"
#include "grading/labreport/peaks.hpp"
#include "grading/labreport/sections.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

/// The largest order that every version has figures for.
std::optional<int> largest_common_order(const std::vector<Line>& versions) {
  std::vector<int> orders = orders_of(versions);
  std::ranges::reverse(orders);
  for (const int n : orders) {
    if (std::ranges::all_of(versions,
                            [&](const Line& line) { return row_at(line, n) != nullptr; })) {
      return n;
    }
  }
  return std::nullopt;
}

std::string times(double rate, const BenchRow* other) {
  return other == nullptr || other->rate <= 0 ? no_figure : significant(rate / other->rate);
}

std::string percent(double rate, std::optional<double> whole) {
  return whole && *whole > 0 ? fmt::format("{:.1f}%", 100 * rate / *whole) : no_figure;
}

Html table_of(const VersionComparison& comparison, int n, const BenchReport& report) {
  const std::string unit = row_at(comparison.versions.front(), n)->unit;
  Table table{fmt::format("Versions of {} at n = {}, each with its fastest block, {}",
                          comparison.problem, n, where_taken(report)),
              {{"version", true},
               {"block", true},
               {"time, ms"},
               {unit},
               {"times the one before"},
               {"times the first"},
               {"of the peak"}},
              {}};
  for (const Line& library : comparison.libraries) table.columns.push_back({"of " + library.name});
  const BenchRow* first = nullptr;
  const BenchRow* before = nullptr;
  for (const Line& version : comparison.versions) {
    const BenchRow& row = *row_at(version, n);
    table.rows.push_back({{row.function},
                          {row.block.empty() ? no_figure : row.block},
                          {significant(row.ms)},
                          {significant(row.rate)},
                          {times(row.rate, before)},
                          {times(row.rate, first)},
                          {percent(row.rate, peak_of(report.gpu, row))}});
    for (const Line& library : comparison.libraries) {
      const BenchRow* of_library = row_at(library, n);
      table.rows.back().push_back(
          {of_library == nullptr ? no_figure : percent(row.rate, of_library->rate)});
    }
    before = &row;
    if (first == nullptr) first = &row;
  }
  drop_empty_columns(table);
  return html_of(table);
}

}  // namespace

Html comparison_section(const BenchReport& report, const Draw& draw) {
  Html parts;
  for (const VersionComparison& comparison : comparisons_of(report)) {
    parts += element("h3", element("code", comparison.problem));
    if (const auto n = largest_common_order(comparison.versions)) {
      parts += table_of(comparison, *n, report);
    } else {
      parts += element("p",
                       "The versions have no order in common, so only the chart can compare "
                       "them.");
    }
    parts += figures_of({chart_of(comparison, where_taken(report))}, draw);
  }
  if (parts.empty()) return {};
  return element("section", element("h2", {{"id", "comparison"}}, "All versions compared") + parts);
}

}  // namespace tilewise::grading
