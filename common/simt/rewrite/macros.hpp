#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// A macro's definition.
struct Macro {
  const Token* name;
  bool has_parameters;
  std::vector<std::string_view> parameters;  ///< `__VA_ARGS__` for an ellipsis without a name
  bool takes_any_number;                     ///< of arguments: the last parameter stands for them
  std::vector<Token> body;                   ///< as code of its own

  bool says(std::string_view word) const;
};

std::vector<Macro> macros_in(const std::vector<Token>& tokens);

/// The source with some uses of macros written out as the preprocessor would write them, because a
/// declaration and a launch are read as a whole: macros that stand for a `__shared__` declaration
/// or part of one, for `<<<` or `>>>` alone, or that are given a `<<<` without its kernel. They
/// have to be defined once in the file: which of several definitions holds is not known here.
struct WrittenOut {
  std::string text;
  /// Macros whose every use has been written out, so that nobody reads what they are defined as.
  std::unordered_set<std::string> unused;
};
WrittenOut with_macros_written_out(std::string_view source);

}  // namespace tilewise::simt::rewriting
