#pragma once

#include <string>
#include <string_view>

namespace tilewise::grading {

/// Puts `with` in the place of each `what`.
inline std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// As one word of bash and zsh, whatever is in it.
inline std::string shell_word(std::string_view text) {
  return "'" + replaced(std::string(text), "'", "'\\''") + "'";
}

}  // namespace tilewise::grading
