#include "grading/report/csv.hpp"

#include "grading/report/printable.hpp"

namespace tilewise::grading {

std::string csv_cell(std::string_view text) {
  std::string value = printable(text);
  const std::string_view begins_a_formula = "=+-@\t\r";
  if (!value.empty() && begins_a_formula.find(value.front()) != std::string_view::npos) {
    value.insert(value.begin(), '\'');
  }
  if (value.find_first_of("\",\n\r") == value.npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace tilewise::grading
