#include "common/simt/rewrite/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace tilewise::simt::rewriting {
namespace {

constexpr auto npos = std::string_view::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes beyond ASCII belong to UTF-8 letters.
bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

bool is_string_prefix(std::string_view word) {
  static constexpr std::array<std::string_view, 9> prefixes = {"u8",  "u",  "U",  "L", "R",
                                                               "u8R", "uR", "UR", "LR"};
  return std::find(prefixes.begin(), prefixes.end(), word) != prefixes.end();
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    constexpr std::size_t usual_token = 6;  // in bytes, with the white space beside it
    tokens_.reserve(source_.size() / usual_token);
    if (source_.substr(0, 3) == "\xEF\xBB\xBF") position_ = 3;
    while (skip_to_token()) read_token();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return position_ + ahead < source_.size() ? source_[position_ + ahead] : '\0';
  }

  bool at_end() const { return position_ >= source_.size(); }

  bool starts_with(std::string_view text) const {
    return source_.substr(position_, text.size()) == text;
  }

  /// Returns the length of a backslash that joins this line to the next one, 0 where there is none.
  /// Compilers forgive blanks after it.
  std::size_t splice_length() const {
    if (peek() != '\\') return 0;
    std::size_t length = 1;
    while (is_blank(peek(length))) ++length;
    return peek(length) == '\n' ? length + 1 : 0;
  }

  bool skip_to_token() {
    while (!at_end()) {
      if (const auto splice = splice_length()) {
        position_ += splice;
        ++line_;
      } else if (peek() == '\n') {
        ++position_;
        ++line_;
        directive_ = 0;
        at_line_start_ = true;
      } else if (is_blank(peek())) {
        ++position_;
      } else if (starts_with("//")) {
        skip_line_comment();
      } else if (starts_with("/*")) {
        const auto close = source_.find("*/", position_ + 2);
        advance_to(close == npos ? source_.size() : close + 2);
      } else {
        return true;
      }
    }
    return false;
  }

  void skip_line_comment() {
    while (!at_end() && peek() != '\n') {
      const auto splice = splice_length();
      if (splice) ++line_;
      position_ += std::max<std::size_t>(splice, 1);
    }
  }

  void advance_to(std::size_t end) {
    const auto passed = source_.substr(position_, end - position_);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    position_ = end;
  }

  void read_token() {
    const auto begin = position_;
    const auto line = line_;
    if (at_line_start_ && peek() == '#') directive_ = ++directives_;
    at_line_start_ = false;
    const auto kind = pass_token();
    tokens_.push_back({kind, begin, source_.substr(begin, position_ - begin), line, directive_});
  }

  TokenKind pass_token() {
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return pass_number();
    if (is_identifier_start(peek())) return pass_word();
    if (peek() == '"' || peek() == '\'') return pass_quoted();
    return pass_punctuation();
  }

  TokenKind pass_number() {
    while (!at_end()) {
      const auto c = peek();
      const auto next = peek(1);
      if ((c == 'e' || c == 'E' || c == 'p' || c == 'P') && (next == '+' || next == '-')) {
        position_ += 2;
      } else if (c == '\'' && is_identifier_part(next)) {
        position_ += 2;
      } else if (c == '.' || is_identifier_part(c)) {
        ++position_;
      } else {
        break;
      }
    }
    return TokenKind::number;
  }

  TokenKind pass_word() {
    const auto begin = position_;
    while (is_identifier_part(peek())) ++position_;
    const auto word = source_.substr(begin, position_ - begin);
    if ((peek() != '"' && peek() != '\'') || !is_string_prefix(word)) return TokenKind::identifier;
    if (word.back() == 'R' && peek() == '"' && pass_raw_string()) return TokenKind::string;
    return pass_quoted();
  }

  bool pass_raw_string() {
    constexpr std::size_t longest_delimiter = 16;  // the C++ standard's limit
    const auto start = source_.substr(position_ + 1, longest_delimiter + 1);
    const auto length = start.find_first_of("() \\\t\v\f\r\n");
    if (length == npos || start[length] != '(') return false;
    const auto closing = ")" + std::string(start.substr(0, length)) + "\"";
    const auto close = source_.find(closing, position_ + length + 2);
    advance_to(close == npos ? source_.size() : close + closing.size());
    return true;
  }

  TokenKind pass_quoted() {
    const auto quote = peek();
    ++position_;
    while (!at_end() && peek() != '\n') {
      if (const auto splice = splice_length()) {
        position_ += splice;
        ++line_;
      } else if (peek() == '\\' && peek(1) != '\n' && position_ + 1 < source_.size()) {
        position_ += 2;
      } else {
        const bool closes = peek() == quote;
        ++position_;
        if (closes) break;
      }
    }
    return quote == '"' ? TokenKind::string : TokenKind::character;
  }

  TokenKind pass_punctuation() {
    static constexpr std::array<std::string_view, 11> operators = {
        "<<<", "<<=", "<<", "<=", ">=", "==", "!=", "::", "->", "&&", "||"};
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [this](std::string_view text) { return starts_with(text); });
    position_ += found == operators.end() ? 1 : found->size();
    return TokenKind::punctuation;
  }

  std::string_view source_;
  std::size_t position_ = 0;
  int line_ = 1;
  bool at_line_start_ = true;
  int directive_ = 0;
  int directives_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view source) { return Tokenizer(source).run(); }

void Edits::insert_before(const Token& token, std::string text) {
  edits_.push_back({token.begin, 0, std::move(text)});
}

void Edits::insert_after(const Token& token, std::string text) {
  edits_.push_back({token.end(), 0, std::move(text)});
}

void Edits::replace(const Token& token, std::string text) {
  edits_.push_back({token.begin, token.text.size(), std::move(text)});
}

void Edits::erase(const Token& token) { replace(token, ""); }

std::string Edits::apply_to(std::string_view source) const {
  auto edits = edits_;
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t copied = 0;
  for (const auto& edit : edits) {
    if (edit.begin < copied) continue;
    result += source.substr(copied, edit.begin - copied);
    result += edit.text;
    copied = edit.begin + edit.length;
    const auto replaced = source.substr(edit.begin, edit.length);
    result.append(static_cast<std::size_t>(std::count(replaced.begin(), replaced.end(), '\n')),
                  '\n');
  }
  result += source.substr(copied);
  return result;
}

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

std::string name_of(const std::vector<Token>& code, std::size_t first, std::size_t end) {
  constexpr std::size_t most_tokens = 100;
  const auto kept = std::span(code).subspan(first, std::min(end - first, most_tokens));
  return joined(kept) + (kept.size() < end - first ? "..." : "");
}

}  // namespace tilewise::simt::rewriting
