#pragma once

#include <string_view>

namespace tilewise::grading {

/// Number of lines of C++ that hold more than blanks and comments.
int count_code_lines(std::string_view text);

}  // namespace tilewise::grading
