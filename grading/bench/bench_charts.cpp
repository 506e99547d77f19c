#include "grading/bench/bench_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tilewise::grading {
namespace {

/// What a chart shows of a row.
struct Quantity {
  std::string name;   ///< of the file
  std::string title;  ///< in the chart's
  Axis axis;
  std::optional<double> (*figure)(const BenchRow& row);
  bool of_others = true;  ///< of cuBLAS and the like, too
};

std::string unit_of(const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    for (const BenchRow* row : line.rows) {
      if (has_figures(*row)) return row->unit;
    }
  }
  return "";
}

Quantity rate_in(const std::string& unit) {
  return {"rate", unit, {unit}, [](const BenchRow& row) { return std::optional(row.rate); }};
}

std::vector<Quantity> quantities(const std::string& unit) {
  return {rate_in(unit),
          {"time",
           "time",
           {"time (ms)", true},
           [](const BenchRow& row) { return std::optional(row.ms); }},
          {"cgma",
           "CGMA",
           {"CGMA (operations an element)"},
           [](const BenchRow& row) { return row.cgma; },
           false}};
}

/// More lines than that nobody can follow, nor, in half a page's width, more than seven.
constexpr std::size_t most_lines = 8;
constexpr std::size_t most_in_half_width = 7;

Series series_of(const Line& line, const Quantity& quantity) {
  Series series{line.name, {}};
  for (const BenchRow* row : line.rows) {
    if (!has_figures(*row)) continue;
    if (const auto value = quantity.figure(*row)) series.points.push_back({double(row->n), *value});
  }
  return series;
}

void add_lines(std::vector<Series>& all, const std::vector<Line>& lines, const Quantity& quantity) {
  for (const Line& line : lines) {
    Series series = series_of(line, quantity);
    if (!series.points.empty()) all.push_back(std::move(series));
  }
}

/// Whether the largest is so many times the smallest.
bool spans(const std::vector<Series>& lines, double Point::*coordinate, double times) {
  double least = 0, most = 0;
  for (const Series& series : lines) {
    for (const Point& point : series.points) {
      const double value = point.*coordinate;
      least = least == 0 ? value : std::min(least, value);
      most = std::max(most, value);
    }
  }
  return least > 0 && most >= times * least;
}

/// Orders that double want an axis on which doubling is a step.
Axis axis_of_orders(const std::vector<Series>& lines) {
  return {"order n", spans(lines, &Point::x, 4)};
}

/// The fastest lines of many, in the order of all.
std::vector<Line> fastest_of(const std::vector<Line>& lines) {
  const std::vector<const Line*> sorted = by_rate(lines);
  std::vector<Line> fastest;
  for (const Line& line : lines) {
    const auto place = std::ranges::find(sorted, &line) - sorted.begin();
    if (std::cmp_less(place, std::min(sorted.size(), most_lines))) fastest.push_back(line);
  }
  return fastest;
}

/// Without what ran on the CPU, which the chart's title does not speak of.
std::vector<Line> others_on_the_gpu(const LineGroup& group) {
  std::vector<Line> others = group.others;
  std::erase_if(
      others, [](const Line& line) { return line.rows.front()->contender == Contender::openblas; });
  return others;
}

std::string subject_of(const LineGroup& group, std::size_t shown) {
  if (group.function.empty()) return "stage " + group.stage;
  const std::size_t all = by_rate(group.lines).size();
  if (shown == all) return group.function;
  return fmt::format("{}, {} fastest of {}", group.function, shown, all);
}

}  // namespace

std::vector<NamedChart> charts_of(const LineGroup& group, const std::string& where) {
  const std::vector<Line> lines = fastest_of(group.lines);
  const std::string what = subject_of(group, lines.size());
  const std::string name = group.stage + (group.function.empty() ? "" : "-" + group.function);
  std::vector<NamedChart> charts;
  for (const Quantity& quantity : quantities(unit_of(lines))) {
    std::vector<Series> series;
    add_lines(series, lines, quantity);
    if (series.empty()) continue;
    const ChartSize size = series.size() > most_in_half_width ? ChartSize::whole : ChartSize::half;
    if (quantity.of_others) add_lines(series, others_on_the_gpu(group), quantity);
    const Axis orders = axis_of_orders(series);
    charts.push_back({name + "-" + quantity.name,
                      {fmt::format("{}: {}, {}", what, quantity.title, where), orders,
                       quantity.axis, std::move(series), size}});
  }
  return charts;
}

NamedChart chart_of(const VersionComparison& comparison, const std::string& where) {
  const Quantity rate = rate_in(unit_of(comparison.versions));
  Chart chart{
      "All versions, each with its fastest block, " + where, {}, rate.axis, {}, ChartSize::whole};
  add_lines(chart.series, comparison.versions, rate);
  // From one block to thousands of GFLOPS: else the slower versions would lie on the ground.
  chart.y.logarithmic = spans(chart.series, &Point::y, 20);
  add_lines(chart.series, comparison.libraries, rate);
  chart.x = axis_of_orders(chart.series);
  return {"versions-" + comparison.problem, std::move(chart)};
}

std::vector<NamedChart> charts_of(const BenchReport& report) {
  const std::string where = where_taken(report);
  std::vector<NamedChart> charts;
  for (const LineGroup& group : groups_of(report)) {
    std::ranges::move(charts_of(group, where), std::back_inserter(charts));
  }
  for (const VersionComparison& comparison : comparisons_of(report)) {
    charts.push_back(chart_of(comparison, where));
  }
  return charts;
}

}  // namespace tilewise::grading
