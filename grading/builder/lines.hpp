#pragma once

#include <algorithm>
#include <string_view>

namespace tilewise::grading {

/// Takes the first line off a text, and the end of line with it.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace tilewise::grading
