#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// A row of a table, with its cells by their columns' headings in lower case.
struct TableRow {
  int line = 0;  ///< its number in the file
  std::map<std::string, std::string> cells;

  /// Returns a cell; empty if there is no such column.
  std::string operator[](const std::string& heading) const;
};

/// A file of comma-separated values with headings.
struct Table {
  std::vector<std::string> headings;  ///< in lower case
  std::vector<TableRow> rows;         ///< those that are not empty

  bool has(const std::string& heading) const;
};

/// Reads RFC 4180 and the variants that spreadsheets write: with a byte order mark, in UTF-16, in
/// the Windows code page, with semicolons or tabs instead of commas.
/// @throws CannotGrade naming file and line, if it cannot be read, two columns have one heading,
///         or a row has more cells than there are headings
Table read_table(const std::filesystem::path& file);

/// Begins a file that spreadsheets open, so that they take it for UTF-8.
inline constexpr const char* byte_order_mark = "\xEF\xBB\xBF";

/// Returns a line of such a file.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace tilewise::grading
