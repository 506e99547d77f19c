#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewise::grading {

/// More than this is tiring to read.
inline constexpr std::size_t readable_width = 100;

/// As many columns as standard output has, but no more than readable_width, which it also is where
/// that is no terminal.
std::size_t columns_of_standard_output();

/// Breaks lines at blanks, so that with `indent` before each they keep to `width`. What begins with
/// a blank, such as a matrix or a compiler's caret, stays as it is. Every line ends with a line
/// feed.
std::string wrapped(std::string_view text, std::string_view indent = "",
                    std::size_t width = readable_width);

}  // namespace tilewise::grading
