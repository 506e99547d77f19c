#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// The definition of a macro.
struct Macro {
  const Token* name;
  bool has_parameters;
  std::vector<std::string_view> parameters;  ///< `__VA_ARGS__` for an ellipsis without a name
  bool takes_any_number;                     ///< the last parameter takes any number of arguments
  std::vector<Token> body;                   ///< its tokens, as if outside a directive

  bool says(std::string_view word) const;
};

/// The arguments of one use of a macro with parameters, each by its tokens. Only parentheses keep a
/// comma from separating them.
using MacroArguments = std::vector<std::span<const Token>>;

/// @param open, close the parentheses of the use
MacroArguments arguments_between(const std::vector<Token>& tokens, std::size_t open,
                                 std::size_t close);

std::vector<Macro> macros_in(const std::vector<Token>& tokens);

/// The source with some uses of macros expanded as the preprocessor would do it, because the
/// rewriter reads a declaration or a launch as a whole. It expands macros that stand for a
/// `__shared__` declaration or part of one or for `<<<` or `>>>` alone, and macros that are passed
/// a `<<<` without its kernel. Each must be defined exactly once in the file: which of several
/// definitions holds is not known here.
struct WrittenOut {
  std::string text;
  /// Macros whose every use has been expanded, so that their definitions need not be valid.
  std::unordered_set<std::string> unused;
};
WrittenOut with_macros_written_out(std::string_view source);

}  // namespace tilewise::simt::rewriting
