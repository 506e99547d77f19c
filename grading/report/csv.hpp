#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Text as a cell of a CSV file (RFC 4180), in quotes where it needs them. What a spreadsheet would
/// take for a formula begins with an apostrophe.
std::string csv_cell(std::string_view text);

}  // namespace tilewise::grading
