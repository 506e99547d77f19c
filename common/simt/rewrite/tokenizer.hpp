#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt::rewriting {

enum class TokenKind { identifier, number, string, character, punctuation };

/// One C++ token; keywords count as identifiers. Comments and white space yield no tokens.
struct Token {
  TokenKind kind;
  std::size_t begin;      ///< offset in the source
  std::string_view text;  ///< a part of the source, which must outlive the token
  int line;               ///< the line of its first character, from 1
  int directive;  ///< the number of the preprocessor directive it belongs to, from 1; 0: none

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view expected) const { return text == expected; }
  bool is_name() const { return kind == TokenKind::identifier; }
};

/// Splits C++ with CUDA's `<<<` into tokens. Every `>` is a token of its own, because only the
/// context of a `>>>` tells whether it ends a launch configuration or three template argument
/// lists. An unterminated literal ends with its line, an unterminated comment or raw string with
/// the source.
std::vector<Token> tokenize(std::string_view source);

/// A set of changes to a source, collected in any order and applied at once.
class Edits {
 public:
  /// Inserts text before a token; texts inserted at the same token keep their order.
  void insert_before(const Token& token, std::string text);
  void insert_after(const Token& token, std::string text);
  void replace(const Token& token, std::string text);
  void erase(const Token& token);

  /// Returns the source with all changes made. Line breaks inside a replaced token are kept. Where
  /// broken code has led to two changes of one place, the one that starts first in the source wins.
  std::string apply_to(std::string_view source) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t length;
    std::string text;
  };
  std::vector<Edit> edits_;
};

/// Returns the text as a C++ string literal.
std::string quoted(std::string_view text);

/// Returns the tokens on one line, with one blank wherever the source has a gap.
std::string joined(std::span<const Token> tokens);

/// Returns a kernel as it is written, from token `first` to before `end`, cut to a length that only
/// code meant to make messages endless exceeds.
std::string name_of(const std::vector<Token>& code, std::size_t first, std::size_t end);

}  // namespace tilewise::simt::rewriting
