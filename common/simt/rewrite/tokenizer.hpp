#pragma once

#include <cstddef>
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
};

/// Splits C++ with CUDA's `<<<` into tokens. Every `>` is a token of its own, because only what
/// surrounds a `>>>` tells whether it ends a launch configuration or three template argument lists.
/// Unterminated literals end with their line, unterminated comments and raw strings with the
/// source.
std::vector<Token> tokenize(std::string_view source);

}  // namespace tilewise::simt::rewriting
