#include "grading/builder/preprocessed_text.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace tilewise::grading {
namespace {

using simt::rewriting::Token;
using simt::rewriting::TokenKind;

/// Whether a line marker of a preprocessor begins here: `# 12 "file" 1 3`.
bool is_marker(const std::vector<Token>& tokens, std::size_t i) {
  return tokens[i].directive != 0 && tokens[i].is("#") && i + 2 < tokens.size() &&
         tokens[i + 1].kind == TokenKind::number && tokens[i + 2].kind == TokenKind::string &&
         tokens[i + 2].directive == tokens[i].directive;
}

int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

PreprocessedText::PreprocessedText(std::string_view text, std::string_view own) {
  const std::vector<Token> tokens = simt::rewriting::tokenize(text);
  tokens_.reserve(tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (is_marker(tokens, i)) {
      const int directive = tokens[i].directive;
      read_marker(tokens, i, own);
      while (i + 1 < tokens.size() && tokens[i + 1].directive == directive) ++i;
      continue;
    }
    const bool is_own = file_ == own;
    if (is_own) own_line_ = marked_line_ + tokens[i].line - marker_line_ - 1;
    tokens_.push_back({tokens[i], is_own, own_line_});
    if (!is_own) continue;
    std::string& line = lines_[own_line_];
    if (!line.empty()) line += ' ';
    line += tokens[i].text;
  }
}

void PreprocessedText::read_marker(const std::vector<Token>& tokens, std::size_t marker,
                                   std::string_view own) {
  const std::string_view quoted = tokens[marker + 2].text;
  std::string file(quoted.substr(1, quoted.size() - std::min<std::size_t>(quoted.size(), 2)));
  const bool enters = marker + 3 < tokens.size() && tokens[marker + 3].is("1") &&
                      tokens[marker + 3].directive == tokens[marker].directive;
  if (enters) headers_.push_back({file, own_line_});
  file_ = std::move(file);
  marked_line_ = number(tokens[marker + 1].text);
  marker_line_ = tokens[marker].line;
  if (file_ != own) return;
  // The text is back from a header: the #include is on the line before the one that the marker
  // names.
  for (; foreign_headers_ < headers_.size(); ++foreign_headers_) {
    headers_[foreign_headers_].line = marked_line_ - 1;
  }
  for (; foreign_tokens_ < tokens_.size(); ++foreign_tokens_) {
    PreprocessedToken& token = tokens_[foreign_tokens_];
    if (!token.is_own) token.line = marked_line_ - 1;
  }
}

std::string PreprocessedText::own_lines() const {
  std::string text;
  int line = 1;
  for (const auto& [number, own] : lines_) {
    for (; line < number; ++line) text += '\n';
    text += own;
  }
  return text + '\n';
}

}  // namespace tilewise::grading
