#include "grading/labreport/table.hpp"

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

}  // namespace

Html html_of(const Table& table) {
  Html heading, body;
  for (const Column& column : table.columns) {
    Attributes attributes = attributes_of(column);
    attributes.emplace_back("scope", "col");
    heading += element("th", attributes, column.heading);
  }
  for (const std::vector<Cell>& row : table.rows) body += row_of(table, row);
  const Html content = element("caption", table.caption) +
                       element("thead", element("tr", heading)) + element("tbody", body);
  return element("div", {{"class", table.narrow ? "table narrow" : "table"}},
                 element("table", content));
}

}  // namespace tilewise::grading
