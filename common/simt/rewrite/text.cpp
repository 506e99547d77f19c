#include "common/simt/rewrite/text.hpp"

namespace tilewise::simt::rewriting {

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '\n') {
      literal += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

std::string joined(std::span<const Token> tokens) {
  std::string text;
  std::size_t end = tokens.empty() ? 0 : tokens.front().begin;
  for (const auto& token : tokens) {
    if (token.begin != end) text += ' ';
    text += token.text;
    end = token.end();
  }
  return text;
}

}  // namespace tilewise::simt::rewriting
