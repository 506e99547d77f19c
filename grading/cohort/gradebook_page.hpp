#pragma once

#include <string>
#include <vector>

namespace tilewise::grading {

/// Parts of the pages that instructors read: of one gradebook, and of a term's.

/// A whole page, with its style and what sorts its tables where scripts run.
/// @param body  markup
std::string page_of(const std::string& title, const std::string& body);

/// A table that its headings sort; the first cell of a row is its heading.
/// @param headings  text
/// @param rows      markup, as row_of() makes it
std::string sorted_table(const std::string& caption, const std::vector<std::string>& headings,
                         const std::vector<std::string>& rows);

/// A cell of a row.
struct PageCell {
  std::string markup;
  std::string style = {};  ///< class: "failed"; empty: none
  std::string key = {};    ///< what it is sorted by, where that is not what it says
};

/// @param style  class of the row: "ungraded"; empty: none
std::string row_of(const std::string& heading_markup, const std::vector<PageCell>& cells,
                   const std::string& style);

/// Points of one who has some.
struct PointsOf {
  double points, max_points;
};

/// How many there are, mean and median, and how many have which tenth of all points.
/// @param counts  in words: "3 submissions: 2 graded, 1 not."
std::string distribution(const std::string& counts, const std::vector<PointsOf>& all);

}  // namespace tilewise::grading
