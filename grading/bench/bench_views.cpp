#include "grading/bench/bench_views.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

namespace tilewise::grading {

std::vector<Version> versions_of(const BenchReport& report) {
  std::vector<Version> versions;
  for (const BenchRow& row : report.rows) {
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

Contender subject_of(const BenchReport& report) {
  const bool has_student =
      std::ranges::find(report.rows, Contender::student, &BenchRow::contender) != report.rows.end();
  return has_student ? Contender::student : Contender::solution;
}

bool has_figures(const BenchRow& row) {
  return row.problem.empty() && row.right != false && row.ms > 0;
}

std::vector<std::string> blocks_of(const Version& version, Contender contender) {
  std::vector<std::string> blocks;
  for (const BenchRow* row : version.rows) {
    if (row->contender != contender || row->call.empty()) continue;
    if (std::ranges::find(blocks, row->block) == blocks.end()) blocks.push_back(row->block);
  }
  return blocks;
}

std::vector<int> orders_of(const Version& version) {
  std::vector<int> orders;
  for (const BenchRow* row : version.rows) {
    if (row->n > 0) orders.push_back(row->n);
  }
  std::ranges::sort(orders);
  const auto doubles = std::ranges::unique(orders);
  orders.erase(doubles.begin(), doubles.end());
  return orders;
}

const BenchRow* row_at(const Version& version, Contender contender, const std::string& block,
                       int n) {
  const auto row = std::ranges::find_if(version.rows, [&](const BenchRow* candidate) {
    return candidate->contender == contender && candidate->block == block && candidate->n == n;
  });
  return row == version.rows.end() ? nullptr : *row;
}

const BenchRow* best_at(const Version& version, Contender contender, int n) {
  const BenchRow* best = nullptr;
  for (const BenchRow* row : version.rows) {
    if (row->contender != contender || row->n != n || !has_figures(*row)) continue;
    if (best == nullptr || row->ms < best->ms) best = row;
  }
  return best;
}

std::vector<std::string> blocks_by_rate(const Version& version, Contender contender) {
  // From the fastest at the largest order on; those that have figures at smaller ones only follow.
  std::vector<std::string> blocks;
  for (const int n : orders_of(version) | std::views::reverse) {
    std::vector<const BenchRow*> rows;
    std::ranges::copy_if(version.rows, std::back_inserter(rows), [&](const BenchRow* row) {
      return row->contender == contender && row->n == n && has_figures(*row);
    });
    std::ranges::stable_sort(rows, {}, &BenchRow::ms);
    for (const BenchRow* row : rows) {
      if (std::ranges::find(blocks, row->block) == blocks.end()) blocks.push_back(row->block);
    }
  }
  return blocks;
}

std::string where_taken(const BenchReport& report) {
  return report.modelled ? report.device : report.device + " (measured)";
}

}  // namespace tilewise::grading
