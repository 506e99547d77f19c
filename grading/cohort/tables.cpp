#include "grading/cohort/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "grading/cli/submission.hpp"
#include "grading/results/files.hpp"
#include "grading/results/printable.hpp"

namespace tilewise::grading {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
}

struct Record {
  int line;
  std::vector<std::string> cells;
};

std::vector<Record> records_of(std::string_view text, char separator) {
  std::vector<Record> records;
  int line = 1;
  while (!text.empty()) {
    Record record{line, {""}};
    bool quoted = false;
    std::size_t i = 0;
    for (; i < text.size(); ++i) {
      const char c = text[i];
      line += c == '\n';
      std::string& cell = record.cells.back();
      if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else if (c == '"' && (quoted || trimmed(cell).empty())) {
        quoted = !quoted;
      } else if (c == separator && !quoted) {
        record.cells.emplace_back();
      } else if (c == '\n' && !quoted) {
        break;
      } else {
        cell += c;
      }
    }
    text.remove_prefix(std::min(i + 1, text.size()));
    for (std::string& cell : record.cells) cell = trimmed(cell);
    records.push_back(std::move(record));
  }
  return records;
}

bool is_empty(const Record& record) {
  return std::ranges::all_of(record.cells, &std::string::empty);
}

}  // namespace

std::string TableRow::operator[](const std::string& heading) const {
  const auto cell = cells.find(heading);
  return cell == cells.end() ? "" : cell->second;
}

bool Table::has(const std::string& heading) const {
  return std::ranges::find(headings, heading) != headings.end();
}

Table read_table(const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream all;
  all << stream.rdbuf();
  if (!stream) throw CannotGrade(fmt::format("{} cannot be read", name));
  // Text that is neither UTF-8 nor UTF-16 was written by a spreadsheet on Windows.
  const auto bytes = as_utf8(all.str(), "CP1252");
  if (!bytes) throw CannotGrade(fmt::format("{} is no text: save it as UTF-8", name));
  const std::string_view text = *bytes;
  const std::string_view first = text.substr(0, text.find('\n'));
  const auto count = [&](char c) { return std::ranges::count(first, c); };
  const char separator = count(';') > count(',') ? ';' : count('\t') > count(',') ? '\t' : ',';
  Table table;
  for (const Record& record : records_of(text, separator)) {
    if (is_empty(record)) continue;
    if (table.headings.empty()) {
      for (const std::string& cell : record.cells) {
        const std::string heading = in_lower_case(cell);
        if (!heading.empty() && table.has(heading)) {
          throw CannotGrade(fmt::format("{}: two columns are called {}", name, printable(cell)));
        }
        table.headings.push_back(heading);
      }
      continue;
    }
    if (record.cells.size() > table.headings.size()) {
      throw CannotGrade(
          fmt::format("{}:{}: the row has {} cells, and there are {} headings: what holds a comma "
                      "stands in quotes",
                      name, record.line, record.cells.size(), table.headings.size()));
    }
    TableRow row{record.line, {}};
    for (std::size_t i = 0; i < record.cells.size(); ++i) {
      row.cells[table.headings[i]] = record.cells[i];
    }
    table.rows.push_back(std::move(row));
  }
  if (table.headings.empty()) throw CannotGrade(fmt::format("{} is empty", name));
  return table;
}

std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (const std::string& cell : cells) row += (row.empty() ? "" : ",") + csv_cell(cell);
  return row + "\r\n";
}

}  // namespace tilewise::grading
