#include "grading/bench/bench_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/base/language.hpp"
#include "common/model/occupancy.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

using Rows = std::vector<const BenchRow*>;

/// Identifies a table.
using Title = std::tuple<std::string, std::string, std::string>;  // stage, function, block

Title title_of(const BenchRow& row) { return {row.stage, row.function, row.block}; }

std::string heading_of(const Contender& contender, const std::vector<KernelBeside>& beside) {
  if (contender == Contender::cublas) return "cuBLAS";
  if (contender == Contender::openblas) return "CPU";
  const auto kernel = std::ranges::find(beside, contender.name, &KernelBeside::name);
  return kernel == beside.end() ? contender.name : kernel->heading;
}

/// Formats 0.012345 as 0.0123 and 12.345 as 12.35, with as many digits as there is room for.
std::string figure(double value) {
  if (value >= 1000) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, value >= 100 ? 1 : value >= 10 ? 2 : value >= 1 ? 3 : 4);
}

std::string figure(const std::optional<double>& value) { return value ? figure(*value) : "-"; }

/// Formats the row's rate, or "-" if there is none, and appends "!" if the result is wrong.
std::string rate_of(const BenchRow* row) {
  if (row == nullptr || row->rate == 0) return "- ";
  return figure(row->rate) + (row->right == false ? "!" : " ");
}

/// Returns the row whose figures the table shows beside rates: the student's, or the solution's if
/// the student has none.
const BenchRow* main_row(const Rows& rows) {
  const BenchRow* best = nullptr;
  for (const BenchRow* row : rows) {
    const bool own = row->contender == Contender::student || row->contender == Contender::solution;
    if (!own || row->rate == 0) continue;
    if (best == nullptr || row->contender == Contender::student) best = row;
  }
  return best;
}

const BenchRow* of_contender(const Rows& rows, const Contender& contender) {
  const auto found = std::ranges::find(rows, contender, &BenchRow::contender);
  return found == rows.end() ? nullptr : *found;
}

/// The columns that the table has.
struct Columns {
  std::set<Contender> contenders;
  bool mean = false, total = false, cgma = false, formula = false, limiter = false;
};

Columns columns_of(const Rows& rows) {
  Columns columns;
  for (const BenchRow* row : rows) {
    if (row->n == 0) continue;
    columns.contenders.insert(row->contender);
    columns.mean |= row->mean_ms.has_value();
    columns.total |= row->total_ms.has_value();
    columns.cgma |= row->cgma.has_value();
    columns.formula |= row->cgma_by_formula.has_value();
    columns.limiter |= !row->limiter.empty();
  }
  return columns;
}

std::string head_of(const Columns& columns, const std::vector<KernelBeside>& beside) {
  std::string head = fmt::format("{:>6}", "n");
  for (const Contender& contender : columns.contenders) {
    head += fmt::format(" {:>8}", heading_of(contender, beside));
  }
  head += fmt::format(" {:>8}", "ms");
  if (columns.mean) head += fmt::format(" {:>8}", "mean ms");
  if (columns.total) head += fmt::format(" {:>8}", "total ms");
  if (columns.cgma) head += fmt::format(" {:>6}", "CGMA");
  if (columns.formula) head += fmt::format(" {:>6}", "theory");
  head += fmt::format(" {:>7} {:>3}", "GIPS ", "occ");
  if (columns.limiter) head += " " + tr("limited by");
  return head + "\n";
}

/// Returns the table's line for one order.
std::string line_of(int n, const Rows& rows, const Columns& columns) {
  const BenchRow* const main = main_row(rows);
  std::string line = fmt::format("{:>6}", n);
  for (const Contender& contender : columns.contenders) {
    line += fmt::format(" {:>8}", rate_of(of_contender(rows, contender)));
  }
  if (main != nullptr) {
    line += fmt::format(" {:>8}", figure(main->ms));
    if (columns.mean) line += fmt::format(" {:>8}", figure(main->mean_ms));
    if (columns.total) line += fmt::format(" {:>8}", figure(main->total_ms));
    if (columns.cgma) line += fmt::format(" {:>6}", figure(main->cgma));
    if (columns.formula) line += fmt::format(" {:>6}", figure(main->cgma_by_formula));
    const bool measured = main->gips && main->gips_measured;
    line += fmt::format(" {:>7}", figure(main->gips) + (measured ? "m" : " "));
    line += main->occupancy ? fmt::format(" {:>3.0f}", main->occupancy->percent)
                            : fmt::format(" {:>3}", "-");
    line += " " + core::in_language(main->limiter);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// Formats 137438953472 as "137G", with at most six characters.
std::string in_short(double value) {
  if (value == 0) return "0";
  constexpr const char* units[] = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(units); ++unit) value /= 1000;
  return fmt::format("{:.{}f}{}", value,
                     value >= 100 || unit == 0 ? 0
                     : value >= 10             ? 1
                                               : 2,
                     units[unit]);
}

/// Returns the reason for which warps stall most, such as "sync 42%".
std::string main_stall(const model::KernelMetrics& metrics) {
  constexpr std::string_view prefix = "stall_";
  const model::NamedMetric* most = nullptr;
  for (const model::NamedMetric& metric : model::all_metrics) {
    if (!std::string_view(metric.name).starts_with(prefix)) continue;
    if (most == nullptr || metrics.*metric.value > metrics.*most->value) most = &metric;
  }
  return fmt::format("{} {:.0f}%", std::string_view(most->name).substr(prefix.size()),
                     metrics.*most->value);
}

/// Returns the metrics that a profiler would show, or nothing if no order has them.
std::string metrics_table_of(const std::map<int, Rows>& by_order) {
  std::vector<const BenchRow*> shown;
  for (const auto& [n, rows] : by_order) {
    const BenchRow* const row = main_row(rows);
    if (row != nullptr && row->metrics) shown.push_back(row);
  }
  if (shown.empty()) return "";
  const bool speedup =
      std::ranges::any_of(shown, [](auto* row) { return row->speedup.has_value(); });
  std::string text =
      fmt::format("{:>6}", "n") + (speedup ? fmt::format(" {:>6}", "x one") : "") +
      fmt::format(" {:>5} {:>5} {:>5} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>5}  {}\n", "occ'd",
                  "SMs", "ipc", "FLOP", "L2 rd", "L2 wr", "DRAMrd", "DRAMwr", "FLOP/B", "shrd",
                  "stalls, most");
  for (const BenchRow* row : shown) {
    const model::KernelMetrics& m = *row->metrics;
    text +=
        fmt::format("{:>6}", row->n) +
        (speedup ? fmt::format(" {:>6}", figure(row->speedup)) : "") +
        fmt::format(
            " {:>5.1f} {:>5.1f} {:>5.2f} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>5.1f}  {}\n",
            m.achieved_occupancy_pct, m.sm_efficiency_pct, m.ipc,
            in_short(m.flop_count_sp + m.flop_count_dp), in_short(m.l2_read_bytes),
            in_short(m.l2_write_bytes), in_short(m.dram_read_bytes), in_short(m.dram_write_bytes),
            figure(m.flop_per_dram_byte), m.shared_efficiency_pct, main_stall(m));
  }
  return text;
}

/// Lists the problems, each once with the orders that it concerns.
std::string problems_of(const Rows& rows) {
  std::map<std::string, std::vector<int>> orders;
  for (const BenchRow* row : rows) {
    std::string problem = row->problem;
    if (problem.empty() && row->right == false) problem = tr("the result is wrong");
    if (problem.empty()) continue;
    orders[fmt::format("{}: {}", row->contender.name, printable(problem))].push_back(row->n);
  }
  std::string text;
  for (const auto& [problem, of] : orders) {
    text += fmt::format("  ! {} (n = {})\n", problem, fmt::join(of, ", "));
  }
  return text;
}

std::string table_of(const BenchReport& report, const Rows& rows) {
  const BenchRow& first = *rows.front();
  std::string text = first.stage + "  " + first.function;
  if (!first.block.empty()) text += "  " + first.block;
  const auto with_rate =
      std::ranges::find_if(rows, [](const BenchRow* row) { return row->rate > 0; });
  if (with_rate == rows.end()) return text + "\n" + problems_of(rows);
  text += fmt::format("  {} ({})\n", (*with_rate)->unit,
                      report.modelled ? tr("modelled") : tr("measured"));
  std::map<int, Rows> by_order;
  for (const BenchRow* row : rows) by_order[row->n].push_back(row);
  const Columns columns = columns_of(rows);
  text += head_of(columns, report.beside);
  for (const auto& [n, of_order] : by_order) text += line_of(n, of_order, columns);
  return text + metrics_table_of(by_order) + problems_of(rows);
}

/// Lists why contenders have no part in a stage at all, each reason once.
std::string notes_of(const BenchReport& report, const std::string& stage) {
  std::vector<std::string> notes;
  for (const BenchRow& row : report.rows) {
    if (row.stage != stage || row.n != 0) continue;
    const std::string note =
        fmt::format("{}  ! {}: {}\n", stage, row.contender.name, printable(row.problem));
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
  return notes.empty() ? "" : fmt::format("\n{}", fmt::join(notes, ""));
}

bool any(const BenchReport& report, const Contender& contender) {
  return std::ranges::find(report.rows, contender, &BenchRow::contender) != report.rows.end();
}

std::string legend_of(const BenchReport& report) {
  const std::string device = printable(report.device), inputs = printable(report.inputs);
  std::string text = report.modelled ? tr("\nFor {}; inputs: {}.\n", device, inputs)
                                     : tr("\nMeasured on {}; inputs: {}.\n", device, inputs);
  text += tr(
      "The figures behind ms are the student's, or else the solution's. CGMA: operations an "
      "element\n"
      "that a thread loads or stores, as counted and in theory; GIPS: 10^9 instructions of warps "
      "a\n"
      "second; occ: occupancy in percent.\n");
  if (std::ranges::any_of(report.rows,
                          [](const BenchRow& row) { return row.metrics.has_value(); })) {
    text +=
        tr("As nvprof names them, and lab profile with Nsight Compute's names: occ'd "
           "achieved_occupancy,\n"
           "SMs sm_efficiency and ipc (modelled); FLOP flop_count_sp or _dp and bytes of L2 "
           "(worked out\n"
           "of counts); dram_read_bytes, dram_write_bytes, FLOP for each byte of both, and "
           "stalls\n"
           "(modelled); shrd shared_efficiency (counted). x one: speed-up over one result a "
           "thread.\n");
  }
  if (std::ranges::any_of(report.rows,
                          [](const BenchRow& row) { return row.mean_ms.has_value(); })) {
    text +=
        tr("ms: median of single calls, the cache flushed before each; mean ms: of ten timed as "
           "one.\n");
  }
  if (std::ranges::any_of(report.rows, [](auto& row) { return row.total_ms.has_value(); })) {
    text += report.modelled
                ? tr("total ms: with all matrices copied to the GPU and results back, from "
                     "page-locked memory, at the nominal\nrate of the card's bus.\n")
                : tr("total ms: with all matrices copied to the GPU and results back, from "
                     "memory that is not page-locked.\n");
  }
  if (!report.modelled) {
    text += tr("GIPS with an m are measured by Nsight Compute, others modelled.\n");
  }
  if (any(report, Contender::openblas)) {
    double uncertain_pct = 0;
    for (const BenchRow& row : report.rows) {
      uncertain_pct = std::max(uncertain_pct, row.uncertainty_pct.value_or(0));
    }
    text += uncertain_pct == 0
                ? tr("CPU: OpenBLAS on this machine's processor, measured, the median of several "
                     "runs.\n")
                : tr("CPU: OpenBLAS on this machine's processor, measured, the median of several "
                     "runs,\nwhich may be off by {:.0f}%.\n",
                     std::ceil(uncertain_pct));
  }
  for (const KernelBeside& kernel : report.beside) {
    if (kernel.what.empty() || !any(report, Contender::beside(kernel.name))) continue;
    text += fmt::format("{}: {}.\n", kernel.heading, core::in_language(kernel.what));
  }
  return text;
}

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string truth(const std::optional<bool>& value) {
  return !value ? "" : *value ? "true" : "false";
}

/// Formats an optional figure of a row.
template <class Part, class Value>
std::string of(const std::optional<Part>& part, Value Part::*value) {
  return part ? fmt::format("{}", (*part).*value) : "";
}

std::string blocks(const std::optional<OccupancyFigures>& occupancy, int OccupancyFigures::*limit) {
  if (!occupancy || (*occupancy).*limit == model::unlimited) return "";
  return std::to_string((*occupancy).*limit);
}

struct Column {
  const char* name;
  std::function<std::string(const BenchReport&, const BenchRow&)> cell;
};

/// Appends a column for each metric.
std::vector<Column> with_metrics(std::vector<Column> columns) {
  for (const model::NamedMetric& metric : model::all_metrics) {
    columns.push_back(
        {metric.name, [value = metric.value](const BenchReport&, const BenchRow& row) {
           return row.metrics ? number(*row.metrics.*value) : "";
         }});
  }
  return columns;
}

const std::vector<Column>& columns() {
  using Report = const BenchReport&;
  using Row = const BenchRow&;
  static const std::vector<Column> all = with_metrics({
      {"stage", [](Report, Row row) { return row.stage; }},
      {"function", [](Report, Row row) { return row.function; }},
      {"block", [](Report, Row row) { return row.block; }},
      {"contender", [](Report, Row row) { return row.contender.name; }},
      {"n", [](Report, Row row) { return row.n == 0 ? "" : std::to_string(row.n); }},
      {"call", [](Report, Row row) { return row.call; }},
      {"device", [](Report report, Row) { return report.device; }},
      {"modelled",
       [](Report report, Row row) {
         // OpenBLAS on the CPU is always measured.
         return truth(report.modelled && row.contender != Contender::openblas);
       }},
      {"problem", [](Report, Row row) { return row.problem; }},
      {"ms", [](Report, Row row) { return row.ms == 0 ? "" : number(row.ms); }},
      {"total_ms", [](Report, Row row) { return number(row.total_ms); }},
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
      {"uncertainty_pct", [](Report, Row row) { return number(row.uncertainty_pct); }},
      {"mean_ms", [](Report, Row row) { return number(row.mean_ms); }},
      {"speedup", [](Report, Row row) { return number(row.speedup); }},
  });
  return all;
}

}  // namespace

std::string bench_table(const BenchReport& report) {
  std::map<Title, Rows> tables;
  std::vector<Title> order;  // in the order of the report
  std::vector<std::string> stages;
  for (const BenchRow& row : report.rows) {
    if (stages.empty() || stages.back() != row.stage) stages.push_back(row.stage);
    if (row.n == 0) continue;
    Rows& rows = tables[title_of(row)];
    if (rows.empty()) order.push_back(title_of(row));
    rows.push_back(&row);
  }
  std::string text;
  for (const std::string& stage : stages) {
    text += notes_of(report, stage);
    for (const Title& title : order) {
      if (std::get<0>(title) == stage) text += "\n" + table_of(report, tables[title]);
    }
  }
  return text + legend_of(report);
}

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
