#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewise::simt::rewriting {

enum class TokenKind { identifier, number, string, character, punctuation };

/// One C++ token, keywords counting as identifiers. Comments and white space are no tokens.
struct Token {
  TokenKind kind;
  std::size_t begin;      ///< offset in the source
  std::string_view text;  ///< part of the source, which must outlive the token
  int line;               ///< of its first character, from 1
  int directive;          ///< which preprocessor directive it belongs to, from 1; 0: none

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view expected) const { return text == expected; }
  bool is_name() const { return kind == TokenKind::identifier; }
};

/// Splits C++ with CUDA's `<<<` into tokens. Every `>` is a token of its own, because only what
/// surrounds a `>>>` tells whether it ends a launch configuration or three template argument lists.
/// Unterminated literals end with their line, unterminated comments and raw strings with the
/// source.
std::vector<Token> tokenize(std::string_view source);

/// Changes to a source, collected in any order and made all at once.
class Edits {
 public:
  /// Adds text before a token; of several at one token, the first added comes first.
  void insert_before(const Token& token, std::string text);
  void insert_after(const Token& token, std::string text);
  void replace(const Token& token, std::string text);
  void erase(const Token& token);

  /// The source with all changes made. Line breaks inside a replaced token are kept. Where broken
  /// code has led to two changes of one place, the first in the source wins.
  std::string apply_to(std::string_view source) const;

 private:
  struct Edit {
    std::size_t begin;
    std::size_t length;
    std::string text;
  };
  std::vector<Edit> edits_;
};

/// The text as a C++ string literal.
std::string quoted(std::string_view text);

/// The tokens on one line, with one blank wherever the source has a gap.
std::string joined(std::span<const Token> tokens);

}  // namespace tilewise::simt::rewriting
