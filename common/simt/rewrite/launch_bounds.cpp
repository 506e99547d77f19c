#include <algorithm>

#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/index_parts.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

/// Returns the first token of a function's declaration.
std::size_t head_of(const std::vector<Token>& code, const WrittenFunction& function) {
  std::size_t first = function.parameters;
  while (first > 0 && !code[first - 1].is(";") && !code[first - 1].is("{") &&
         !code[first - 1].is("}")) {
    --first;
  }
  return first;
}

/// Whether there is a preprocessor directive between two tokens, which may leave some of them out.
bool has_directive(const std::vector<Token>& tokens, const Token& first, const Token& last) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return token.directive != 0 && token.begin > first.begin && token.begin < last.begin;
  });
}

/// Whether a parameter of the kernel hides a name that the bounds use.
bool is_hidden(const std::vector<Token>& code, Part bounds, const WrittenFunction& kernel) {
  const auto is_in_parameters = [&](const Token& word) {
    return std::any_of(code.begin() + std::ptrdiff_t(kernel.parameters),
                       code.begin() + std::ptrdiff_t(kernel.body),
                       [&](const Token& token) { return token.is(word.text); });
  };
  for (std::size_t i = bounds.first; i < bounds.end; ++i) {
    const bool is_member = code[i - 1].is("::");
    if (code[i].is_name() && !is_member && is_in_parameters(code[i])) return true;
  }
  return false;
}

}  // namespace

void keep_launch_bounds(const std::vector<Token>& tokens, const Outline& outline, Edits& edits) {
  const std::vector<Token>& code = outline.code();
  for (const WrittenFunction& kernel : functions_of(outline)) {
    const std::size_t head = head_of(code, kernel);
    if (!kernel.is_kernel || has_directive(tokens, code[head], code[kernel.body])) continue;
    for (std::size_t i = head; i < kernel.parameters; ++i) {
      const auto close = code[i].is("__launch_bounds__") ? outline.partner(i + 1) : std::nullopt;
      if (!close || is_hidden(code, {i + 2, *close}, kernel)) continue;
      edits.insert_after(code[kernel.body], " ::tilewise::simt::keep_launch_bounds(" +
                                                words_of(code, {i + 2, *close}) + ");");
    }
  }
}

}  // namespace tilewise::simt::rewriting
