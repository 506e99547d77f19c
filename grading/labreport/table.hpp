#pragma once

#include <string>
#include <vector>

#include "grading/labreport/html.hpp"

namespace tilewise::grading {

struct Column {
  Html heading;
  bool is_text = false;    ///< else figures, to the right
  std::string group = {};  ///< heading over neighbours of the same group; empty: none
};

/// A cell, and what is to be said of it by its looks beside its words.
struct Cell {
  Html content;
  enum class Mark { none, best, wrong } mark = Mark::none;
};

/// Rows begin with what they are about.
struct Table {
  Html caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  enum class Width { usual, narrow, wide } width = Width::usual;  ///< narrow: stands beside others
};

/// What stands where there is nothing to show.
inline constexpr const char* no_figure = "–";

/// Takes out columns that have nothing to show in any row.
void drop_empty_columns(Table& table);

/// With a caption, column and row headings, in a frame that scrolls where the page is too narrow.
Html html_of(const Table& table);

}  // namespace tilewise::grading
