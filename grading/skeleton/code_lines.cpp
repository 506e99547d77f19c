#include "grading/skeleton/code_lines.hpp"

#include <cstddef>

namespace tilewise::grading {
namespace {

/// Offset behind the literal whose opening quote is at `begin`; a literal ends with its line.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  std::size_t i = begin + 1;
  while (i < text.size() && text[i] != quote && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
  return i < text.size() && text[i] == quote ? i + 1 : i;
}

}  // namespace

int count_code_lines(std::string_view text) {
  int lines = 0;
  bool line_has_code = false;
  bool in_comment = false;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\n') {
      line_has_code = false;
      ++i;
    } else if (in_comment) {
      in_comment = text.substr(i, 2) != "*/";
      i += in_comment ? 1 : 2;
    } else if (text.substr(i, 2) == "/*") {
      in_comment = true;
      i += 2;
    } else if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text[i] == ' ' || text[i] == '\t' || text[i] == '\r') {
      ++i;
    } else {
      lines += !line_has_code;
      line_has_code = true;
      i = text[i] == '"' ? end_of_literal(text, i) : i + 1;
    }
  }
  return lines;
}

}  // namespace tilewise::grading
