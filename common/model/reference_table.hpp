#pragma once

#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/base/files.hpp"
#include "common/gpu/gpu_profile.hpp"

namespace tilewise::model {

/// A row of a published table, with its cells by the name of their column.
class ReferenceRow {
 public:
  ReferenceRow(std::map<std::string, std::string> cells, std::string place)
      : cells_(std::move(cells)), place_(std::move(place)) {}

  const std::string& text(const std::string& column) const { return cells_.at(column); }
  double number(const std::string& column) const { return std::stod(text(column)); }
  int integer(const std::string& column) const { return std::stoi(text(column)); }
  /// File and line, for messages.
  const std::string& place() const { return place_; }

 private:
  std::map<std::string, std::string> cells_;
  std::string place_;
};

inline std::filesystem::path reference_file(const std::string& name) {
  return core::project_root() / "common/model/testdata" / name;
}

/// The card of a row: its column gpu names one of the course's cards or a file beside the table.
inline core::GpuProfile gpu_of(const ReferenceRow& row) {
  const std::string& gpu = row.text("gpu");
  return core::gpu_profile(core::is_card_file(gpu) ? reference_file(gpu).string() : gpu);
}

/// Returns the rows of a CSV file in common/model/testdata. Its first line names the columns, and
/// no cell holds a comma.
/// @throws std::runtime_error if it cannot be read.
inline std::vector<ReferenceRow> reference_table(const std::string& name) {
  std::ifstream file(reference_file(name));
  if (!file) throw std::runtime_error("cannot read common/model/testdata/" + name);
  const auto cells_of = [](const std::string& line) {
    std::vector<std::string> cells;
    // One of the tables has Windows line ends. The comma preserves an empty last cell.
    std::istringstream stream(line.substr(0, line.find('\r')) + ",");
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
  };

  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = cells_of(line);
  std::vector<ReferenceRow> rows;
  for (int number = 2; std::getline(file, line); ++number) {
    const std::string place = name + ":" + std::to_string(number);
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != columns.size()) throw std::runtime_error(place + ": cells are missing");
    std::map<std::string, std::string> row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells[i];
    rows.emplace_back(std::move(row), place);
  }
  return rows;
}

}  // namespace tilewise::model
