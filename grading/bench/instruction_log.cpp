#include "grading/bench/instruction_log.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace tilewise::grading {
namespace {

/// The cells of a line of CSV, whose quotes hold no line feeds.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

std::vector<double> instructions_in(std::string_view log) {
  std::vector<double> counts;
  std::ptrdiff_t name = -1, value = -1;  // columns, from the line of their names
  while (!log.empty()) {
    const std::string_view line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(line.size() + 1, log.size()));
    const std::vector<std::string> cells = cells_of(line);
    const auto column = [&](std::string_view title) {
      const auto found = std::ranges::find(cells, title);
      return found == cells.end() ? -1 : found - cells.begin();
    };
    if (column("Metric Name") >= 0 && column("Metric Value") >= 0) {
      name = column("Metric Name");
      value = column("Metric Value");
      continue;
    }
    if (name < 0 || std::max(name, value) >= std::ssize(cells)) continue;
    if (cells[std::size_t(name)] != instructions_metric) continue;
    std::string digits = cells[std::size_t(value)];  // "1,234,567"
    std::erase(digits, ',');
    counts.push_back(std::strtod(digits.c_str(), nullptr));
  }
  return counts;
}

}  // namespace tilewise::grading
