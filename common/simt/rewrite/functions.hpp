#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// A function, or member function, of the source that has a body.
struct WrittenFunction {
  std::string name;
  bool is_kernel, is_of_device;
  std::size_t parameters, body, end;  ///< opening brackets, and the one that closes the body
};

/// Returns the functions in the order of the source.
std::vector<WrittenFunction> functions_of(const Outline& outline);

/// A source with its tokens, outline and functions.
struct SourceText {
  explicit SourceText(std::string_view source)
      : tokens(without_disabled(tokenize(source))),
        outline(tokens),
        functions(functions_of(outline)) {}

  std::vector<Token> tokens;
  Outline outline;
  std::vector<WrittenFunction> functions;
};

}  // namespace tilewise::simt::rewriting
