#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

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

}  // namespace tilewise::simt::rewriting

namespace tilewise::simt::rewriting {

/// The text as a C++ string literal.
std::string quoted(std::string_view text);

/// The tokens on one line, with one blank wherever the source has a gap.
std::string joined(std::span<const Token> tokens);

}  // namespace tilewise::simt::rewriting
