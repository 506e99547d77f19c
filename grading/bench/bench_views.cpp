#include "grading/bench/bench_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <tuple>

namespace tilewise::grading {
namespace {

/// A contract function and all rows about it.
struct Version {
  std::string stage;
  std::string function;
  std::vector<const BenchRow*> rows;
};

constexpr std::pair<Contender, const char*> contender_names[] = {
    {Contender::solution, "solution"}, {Contender::previous_stage, "previous stage"},
    {Contender::cublas, "cuBLAS"},     {Contender::openblas, "CPU, measured"},
    {Contender::copy, "a copy"},
};

std::vector<Version> versions_of(const BenchReport& report) {
  std::vector<Version> versions;
  for (const BenchRow& row : report.rows) {
    if (row.n == 0 || row.call.empty()) continue;
    auto version = std::ranges::find_if(versions, [&](const Version& known) {
      return known.stage == row.stage && known.function == row.function;
    });
    if (version == versions.end()) {
      version = versions.insert(version, {row.stage, row.function, {}});
    }
    version->rows.push_back(&row);
  }
  return versions;
}

/// One line for each block that the contender chose among.
std::vector<Line> lines_by_block(const Version& version, Contender contender) {
  std::vector<Line> lines;
  for (const BenchRow* row : version.rows) {
    if (row->contender != contender) continue;
    auto line = std::ranges::find(lines, row->block, &Line::name);
    if (line == lines.end()) line = lines.insert(line, {row->block, {}});
    if (row_at(*line, row->n) == nullptr) line->rows.push_back(row);
  }
  for (Line& line : lines) std::ranges::sort(line.rows, {}, &BenchRow::n);
  return lines;
}

/// At each order the fastest of a contender's blocks.
Line line_of_best(const Version& version, Contender contender, std::string name) {
  std::map<int, const BenchRow*> best;
  for (const BenchRow* row : version.rows) {
    if (row->contender != contender || !has_figures(*row)) continue;
    const BenchRow*& known = best[row->n];
    if (known == nullptr || row->ms < known->ms) known = row;
  }
  Line line{std::move(name), {}};
  for (const auto& [n, row] : best) line.rows.push_back(row);
  return line;
}

std::vector<Line> lines_of_others(const Version& version, Contender subject, bool name_function) {
  std::vector<Line> lines;
  for (const auto& [contender, name] : contender_names) {
    if (contender == subject) continue;
    const bool is_version =
        contender == Contender::solution || contender == Contender::previous_stage;
    Line line = line_of_best(
        version, contender,
        name_function && is_version ? fmt::format("{} of {}", name, version.function) : name);
    if (!line.rows.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

/// Those of a stage that leave no choice.
LineGroup group_of(const std::vector<const Version*>& versions, Contender subject) {
  const Version& last = *versions.back();
  const bool several = versions.size() > 1;
  LineGroup group{last.stage, several ? "" : last.function, {}, {}};
  for (const Version* version : versions) {
    for (Line& line : lines_by_block(*version, subject)) {
      group.lines.push_back({version->function, std::move(line.rows)});
    }
  }
  group.others = lines_of_others(last, subject, several);
  return group;
}

void drop_rows_without_figures(Line& line) {
  std::erase_if(line.rows, [](const BenchRow* row) { return !has_figures(*row); });
}

/// What a function computes, whatever the version: "matmul" for "matmul_shared".
std::string problem_of(const std::string& function) {
  return function.substr(0, function.find('_'));
}

void add_version(VersionComparison& comparison, const Version& version, Contender subject) {
  const std::vector<Line> lines = lines_by_block(version, subject);
  const std::vector<const Line*> fastest = by_rate(lines);
  if (fastest.empty()) return;
  Line best = *fastest.front();
  drop_rows_without_figures(best);
  best.name = version.function + (best.name.empty() ? "" : " " + best.name);
  comparison.versions.push_back(std::move(best));
}

void add_library(VersionComparison& comparison, const Version& version) {
  for (const auto& [library, name] : contender_names) {
    if (library != Contender::cublas && library != Contender::copy) continue;
    Line line = line_of_best(version, library, name);
    if (line.rows.empty()) continue;
    std::erase_if(comparison.libraries,
                  [&name = name](const Line& known) { return known.name == name; });
    comparison.libraries.push_back(std::move(line));
  }
}

}  // namespace

Contender subject_of(const BenchReport& report) {
  const bool has_student =
      std::ranges::find(report.rows, Contender::student, &BenchRow::contender) != report.rows.end();
  return has_student ? Contender::student : Contender::solution;
}

bool has_figures(const BenchRow& row) {
  return row.problem.empty() && row.right != false && row.ms > 0;
}

bool is_sound(const BenchReport& report) {
  const Contender subject = subject_of(report);
  return std::ranges::all_of(report.rows, [&](const BenchRow& row) {
    if (row.contender != subject || row.not_written || row.excused) return true;
    // A solution's blocks may be more than a GPU takes.
    const bool may_fail = subject == Contender::solution;
    return (row.problem.empty() || may_fail) && row.right != false;
  });
}

std::vector<LineGroup> groups_of(const BenchReport& report) {
  const Contender subject = subject_of(report);
  const std::vector<Version> versions = versions_of(report);
  std::vector<LineGroup> groups;
  for (auto begin = versions.begin(); begin != versions.end();) {
    const auto end = std::find_if(
        begin, versions.end(), [&](const Version& other) { return other.stage != begin->stage; });
    std::vector<const Version*> without_choice;
    for (const Version& version : std::span(begin, end)) {
      std::vector<Line> lines = lines_by_block(version, subject);
      if (lines.size() > 1) {
        groups.push_back({version.stage, version.function, std::move(lines),
                          lines_of_others(version, subject, false)});
      } else if (lines.size() == 1) {
        without_choice.push_back(&version);
      }
    }
    if (!without_choice.empty()) groups.push_back(group_of(without_choice, subject));
    begin = end;
  }
  return groups;
}

std::vector<VersionComparison> comparisons_of(const BenchReport& report) {
  const Contender subject = subject_of(report);
  std::vector<VersionComparison> comparisons;
  for (const Version& version : versions_of(report)) {
    const std::string problem = problem_of(version.function);
    auto comparison = std::ranges::find(comparisons, problem, &VersionComparison::problem);
    if (comparison == comparisons.end()) {
      comparison = comparisons.insert(comparison, {problem, {}, {}});
    }
    add_version(*comparison, version, subject);
    add_library(*comparison, version);
  }
  std::erase_if(comparisons, [](const VersionComparison& one) { return one.versions.size() < 2; });
  return comparisons;
}

const BenchRow* row_at(const Line& line, int n) {
  const auto row = std::ranges::find(line.rows, n, &BenchRow::n);
  return row == line.rows.end() ? nullptr : *row;
}

std::vector<const Line*> by_rate(const std::vector<Line>& lines) {
  // From the fastest at the largest order on; those that have figures at smaller ones only follow.
  std::vector<std::tuple<int, double, const Line*>> places;
  for (const Line& line : lines) {
    const auto last = std::ranges::find_if(line.rows.rbegin(), line.rows.rend(),
                                           [](const BenchRow* row) { return has_figures(*row); });
    if (last != line.rows.rend()) places.emplace_back(-(*last)->n, (*last)->ms, &line);
  }
  std::ranges::sort(places);
  std::vector<const Line*> sorted;
  for (const auto& [n, ms, line] : places) sorted.push_back(line);
  return sorted;
}

std::vector<int> orders_of(const std::vector<Line>& lines) {
  std::vector<int> orders;
  for (const Line& line : lines) {
    for (const BenchRow* row : line.rows) orders.push_back(row->n);
  }
  std::ranges::sort(orders);
  orders.erase(std::unique(orders.begin(), orders.end()), orders.end());
  return orders;
}

std::string where_taken(const BenchReport& report) {
  return report.modelled ? report.device : report.device + " (measured)";
}

}  // namespace tilewise::grading
