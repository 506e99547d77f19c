#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::grading {

/// A row of a table, its cells by the headings of their columns in lower case.
struct TableRow {
  int line = 0;  ///< of the file
  std::map<std::string, std::string> cells;

  /// Empty where there is no such column.
  std::string operator[](const std::string& heading) const;
};

/// A file of comma-separated values with headings.
struct Table {
  std::vector<std::string> headings;  ///< in lower case
  std::vector<TableRow> rows;         ///< those that are not empty

  bool has(const std::string& heading) const;
};

/// Reads RFC 4180, and what spreadsheets make of it: a byte order mark, UTF-16, the code page of
/// Windows, semicolons or tabs instead of commas.
/// @throws CannotGrade naming file and line where it cannot be read, two columns have one heading,
///         or a row has more cells than there are headings
Table read_table(const std::filesystem::path& file);

/// In front of a file that spreadsheets open, so that they take it for UTF-8.
inline constexpr const char* byte_order_mark = "\xEF\xBB\xBF";

/// A line of such a file.
std::string csv_row(const std::vector<std::string>& cells);

}  // namespace tilewise::grading
