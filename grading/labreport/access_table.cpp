#include <fmt/format.h>

#include "grading/labreport/number_text.hpp"
#include "grading/labreport/sections.hpp"
#include "grading/labreport/table.hpp"

namespace tilewise::grading {
namespace {

const BenchRow* largest_counted(const Line& line) {
  const BenchRow* found = nullptr;
  for (const BenchRow* row : line.rows) {
    if (row->counted || row->by_formula) found = row;
  }
  return found;
}

using Traffic = std::optional<ElementTraffic>;

std::string number(const Traffic& traffic, double ElementTraffic::*which) {
  return traffic ? with_commas(static_cast<std::uint64_t>((*traffic).*which)) : no_figure;
}

std::string number(const std::optional<double>& value) {
  return value ? significant(*value) : no_figure;
}

std::string ratio(const Traffic& counted, const Traffic& by_formula) {
  if (!counted || !by_formula || by_formula->loads <= 0) return no_figure;
  return fmt::format("{:.2f}", counted->loads / by_formula->loads);
}

}  // namespace

Html access_table(const LineGroup& group) {
  Table table{
      "Elements of global memory that the threads load and store, by formula and as the "
      "simulator counts them; CGMA: operations an element",
      {{group.function.empty() ? "function" : "block", true},
       {"n"},
       {"by formula", false, "loads"},
       {"counted", false, "loads"},
       {"ratio", false, "loads"},
       {"by formula", false, "stores"},
       {"counted", false, "stores"},
       {"by formula", false, "CGMA"},
       {"counted", false, "CGMA"}},
      {}};
  for (const Line& line : group.lines) {
    const BenchRow* row = largest_counted(line);
    if (row == nullptr) continue;
    table.rows.push_back({{line.name},
                          {with_commas(row->n)},
                          {number(row->by_formula, &ElementTraffic::loads)},
                          {number(row->counted, &ElementTraffic::loads)},
                          {ratio(row->counted, row->by_formula)},
                          {number(row->by_formula, &ElementTraffic::stores)},
                          {number(row->counted, &ElementTraffic::stores)},
                          {number(row->cgma_by_formula)},
                          {number(row->cgma)}});
  }
  drop_empty_columns(table);
  return table.rows.empty() ? Html() : html_of(table);
}

}  // namespace tilewise::grading
