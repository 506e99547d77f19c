#include "grading/labreport/table.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewise::grading {
namespace {

Attributes attributes_of(const Column& column) {
  return column.is_text ? Attributes{{"class", "text"}} : Attributes{};
}

Html row_of(const Table& table, const std::vector<Cell>& cells) {
  Html row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Attributes attributes = attributes_of(table.columns.at(i));
    if (i == 0) {
      attributes.emplace_back("scope", "row");
      row += element("th", attributes, cells[i].content);
      continue;
    }
    Html content = cells[i].content;
    if (cells[i].mark == Cell::Mark::best) content = element("strong", content);
    if (cells[i].mark == Cell::Mark::wrong) {
      content = element("span", {{"class", "wrong"}}, content);
    }
    row += element("td", attributes, content);
  }
  return element("tr", row);
}

/// Headings in two rows, where columns have groups; others are as high as both.
Html heading_of(const Table& table) {
  const std::vector<Column>& columns = table.columns;
  const bool grouped =
      std::ranges::any_of(columns, [](const Column& column) { return !column.group.empty(); });
  Html upper, lower;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Attributes attributes = attributes_of(columns[i]);
    attributes.emplace_back("scope", "col");
    const std::string& group = columns[i].group;
    if (grouped && group.empty()) attributes.emplace_back("rowspan", "2");
    (group.empty() ? upper : lower) += element("th", attributes, columns[i].heading);
    if (group.empty() || (i > 0 && columns[i - 1].group == group)) continue;
    std::size_t end = i;
    while (end < columns.size() && columns[end].group == group) ++end;
    upper += element(
        "th", {{"class", "group"}, {"scope", "colgroup"}, {"colspan", std::to_string(end - i)}},
        group);
  }
  return element("thead", element("tr", upper) + (grouped ? element("tr", lower) : Html()));
}

/// Rows that have room on one page, so that the table need not be split.
constexpr std::size_t rows_of_a_page = 26;

std::string class_of(const Table& table) {
  std::string names = "table";
  if (table.width == Table::Width::narrow) names += " narrow";
  if (table.width == Table::Width::wide) names += " wide";
  if (table.rows.size() > rows_of_a_page) names += " long";
  return names;
}

bool shows_nothing(const Table& table, std::size_t column) {
  return std::ranges::all_of(table.rows, [&](const std::vector<Cell>& row) {
    return row[column].content.text() == Html(no_figure).text();
  });
}

}  // namespace

void drop_empty_columns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (!shows_nothing(table, i)) continue;
    const auto place = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + place);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + place);
  }
}

Html html_of(const Table& table) {
  Html body;
  for (const std::vector<Cell>& row : table.rows) body += row_of(table, row);
  const Html content =
      element("caption", table.caption) + heading_of(table) + element("tbody", body);
  return element("div", {{"class", class_of(table)}}, element("table", content));
}

}  // namespace tilewise::grading
