#pragma once

#include <span>
#include <string>
#include <string_view>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// The text as a C++ string literal.
std::string quoted(std::string_view text);

/// The tokens on one line, with one blank wherever the source has a gap.
std::string joined(std::span<const Token> tokens);

}  // namespace tilewise::simt::rewriting
