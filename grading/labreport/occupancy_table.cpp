#include <fmt/format.h>

#include <limits>

#include "grading/labreport/number_text.hpp"
#include "grading/labreport/sections.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

/// Of the largest order, as the report has it.
const BenchRow* row_with_occupancy(const Line& line) {
  const BenchRow* found = nullptr;
  for (const BenchRow* row : line.rows) {
    if (row->occupancy) found = row;
  }
  return found;
}

std::string blocks(int limit) {
  return limit == std::numeric_limits<int>::max() ? "any" : with_commas(limit);
}

std::vector<Cell> cells_of(const std::string& name, const OccupancyFigures& figures) {
  constexpr int threads_per_warp = 32;
  const int warps = (figures.threads_per_block + threads_per_warp - 1) / threads_per_warp;
  return {
      {breakable(name)},
      {with_commas(figures.threads_per_block)},
      {with_commas(warps)},
      {with_commas(figures.shared_bytes_per_block)},
      {fmt::format("{}{}", figures.registers_from_nvcc ? "" : "~", figures.registers_per_thread)},
      {blocks(figures.by_warps)},
      {blocks(figures.by_blocks)},
      {blocks(figures.by_registers)},
      {blocks(figures.by_shared)},
      {with_commas(figures.active_blocks)},
      {with_commas(std::uint64_t(figures.active_blocks) * warps)},
      {fmt::format("{:.4g}%", figures.percent)},
      {figures.limited_by}};
}

}  // namespace

Html occupancy_table(const LineGroup& group) {
  Table table{"Theoretical occupancy" + (group.function.empty() ? "" : " of " + group.function) +
                  ", and what limits it",
              {{group.function.empty() ? "function" : "block", true},
               {"threads", false, "a block has"},
               {"warps", false, "a block has"},
               {"shared bytes", false, "a block has"},
               {"registers a thread"},
               {"warps", false, "blocks that an SM holds by its"},
               {"slots for blocks", false, "blocks that an SM holds by its"},
               {"registers", false, "blocks that an SM holds by its"},
               {"shared memory", false, "blocks that an SM holds by its"},
               {"blocks", false, "active"},
               {"warps", false, "active"},
               {"occupancy"},
               {"limited by", true}},
              {},
              Table::Width::wide};
  bool estimated = false;
  for (const Line& line : group.lines) {
    const BenchRow* row = row_with_occupancy(line);
    if (row == nullptr) continue;
    table.rows.push_back(cells_of(line.name, *row->occupancy));
    estimated = estimated || !row->occupancy->registers_from_nvcc;
  }
  if (table.rows.empty()) return {};
  Html html = html_of(table);
  if (estimated) {
    html += element("p", {{"class", "note"}},
                    "Registers with ~ are estimated, since there was no nvcc to ask.");
  }
  return html;
}

}  // namespace tilewise::grading
