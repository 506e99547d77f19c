#include "grading/bench/bench_csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <string_view>
#include <vector>

#include "common/theory/occupancy.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string truth(const std::optional<bool>& value) {
  return !value ? "" : *value ? "true" : "false";
}

/// A figure of the row that it need not have.
template <class Part, class Value>
std::string of(const std::optional<Part>& part, Value Part::*value) {
  return part ? fmt::format("{}", (*part).*value) : "";
}

std::string blocks(const std::optional<OccupancyFigures>& occupancy, int OccupancyFigures::*limit) {
  if (!occupancy || (*occupancy).*limit == theory::unlimited) return "";
  return std::to_string((*occupancy).*limit);
}

struct Column {
  const char* name;
  std::function<std::string(const BenchReport&, const BenchRow&)> cell;
};

const std::vector<Column>& columns() {
  using Report = const BenchReport&;
  using Row = const BenchRow&;
  static const std::vector<Column> all = {
      {"stage", [](Report, Row row) { return row.stage; }},
      {"function", [](Report, Row row) { return row.function; }},
      {"block", [](Report, Row row) { return row.block; }},
      {"contender", [](Report, Row row) { return std::string(to_string(row.contender)); }},
      {"n", [](Report, Row row) { return row.n == 0 ? "" : std::to_string(row.n); }},
      {"call", [](Report, Row row) { return row.call; }},
      {"device", [](Report report, Row) { return report.device; }},
      {"modelled",
       [](Report report, Row row) {
         // The library on the CPU is always measured.
         return truth(report.modelled && row.contender != Contender::openblas);
       }},
      {"problem", [](Report, Row row) { return row.problem; }},
      {"ms", [](Report, Row row) { return row.ms == 0 ? "" : number(row.ms); }},
      {"rate", [](Report, Row row) { return row.rate == 0 ? "" : number(row.rate); }},
      {"unit", [](Report, Row row) { return row.unit; }},
      {"right", [](Report, Row row) { return truth(row.right); }},
      {"gips", [](Report, Row row) { return number(row.gips); }},
      {"gips_measured", [](Report, Row row) { return row.gips ? truth(row.gips_measured) : ""; }},
      {"limiter", [](Report, Row row) { return row.limiter; }},
      {"loads", [](Report, Row row) { return of(row.counted, &ElementTraffic::loads); }},
      {"stores", [](Report, Row row) { return of(row.counted, &ElementTraffic::stores); }},
      {"loads_by_formula",
       [](Report, Row row) { return of(row.by_formula, &ElementTraffic::loads); }},
      {"stores_by_formula",
       [](Report, Row row) { return of(row.by_formula, &ElementTraffic::stores); }},
      {"cgma", [](Report, Row row) { return number(row.cgma); }},
      {"cgma_by_formula", [](Report, Row row) { return number(row.cgma_by_formula); }},
      {"threads_per_block",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::threads_per_block); }},
      {"registers_per_thread",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::registers_per_thread); }},
      {"registers_from_nvcc",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::registers_from_nvcc); }},
      {"shared_bytes_per_block",
       [](Report, Row row) {
         return of(row.occupancy, &OccupancyFigures::shared_bytes_per_block);
       }},
      {"blocks_by_warps",
       [](Report, Row row) { return blocks(row.occupancy, &OccupancyFigures::by_warps); }},
      {"blocks_by_blocks",
       [](Report, Row row) { return blocks(row.occupancy, &OccupancyFigures::by_blocks); }},
      {"blocks_by_registers",
       [](Report, Row row) { return blocks(row.occupancy, &OccupancyFigures::by_registers); }},
      {"blocks_by_shared",
       [](Report, Row row) { return blocks(row.occupancy, &OccupancyFigures::by_shared); }},
      {"active_blocks",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::active_blocks); }},
      {"occupancy_pct",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::percent); }},
      {"occupancy_limited_by",
       [](Report, Row row) { return of(row.occupancy, &OccupancyFigures::limited_by); }},
  };
  return all;
}

}  // namespace

std::string bench_csv(const BenchReport& report) {
  std::vector<std::string> cells;
  for (const Column& column : columns()) cells.emplace_back(column.name);
  std::string text = fmt::format("{}\n", fmt::join(cells, ","));
  for (const BenchRow& row : report.rows) {
    cells.clear();
    for (const Column& column : columns()) {
      cells.push_back(csv_cell(column.cell(report, row)));
    }
    text += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace tilewise::grading
