#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace tilewise::grading {

/// Whether a character may stand in a name.
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Takes the first line off a text, and the end of line with it.
inline std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace tilewise::grading
