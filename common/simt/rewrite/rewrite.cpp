#include "common/simt/rewrite/rewrite.hpp"

#include <algorithm>
#include <array>

#include "common/simt/rewrite/device_variables.hpp"
#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/launch.hpp"
#include "common/simt/rewrite/loop_exit.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/shared_memory.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/unroll_pragma.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Token;

// What a macro expands to is beyond a rewriter that sees the text before the preprocessor does.
void report_cuda_in_macros(const std::vector<Token>& tokens, std::vector<RewriteError>& errors) {
  int macro = 0;  // the directive that defines the current one
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    const auto& token = tokens[i];
    if (token.directive != 0 && tokens[i - 2].is("#") && tokens[i - 1].is("define")) {
      macro = token.directive;  // and `token` its name
    } else if (token.directive == 0 || token.directive != macro) {
      continue;
    } else if (token.is("<<<") && !tokens[i - 1].is("operator")) {
      errors.push_back({token.line,
                        "a kernel launch inside a macro cannot be simulated; write it as a "
                        "function"});
    } else if (token.is("__shared__")) {
      errors.push_back({token.line,
                        "a shared declaration inside a macro cannot be simulated; write it where "
                        "the macro is used"});
    }
  }
}

// No macro can stand for CUDA's __noinline__: the standard library spells an attribute so.
void rewrite_noinline(const std::vector<Token>& tokens, rewriting::Edits& edits) {
  static constexpr std::array<std::string_view, 8> leaders = {
      "(", ",", "::", "define", "undef", "ifdef", "ifndef", "defined"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].is("__noinline__")) continue;
    const bool is_other =
        i > 0 && std::find(leaders.begin(), leaders.end(), tokens[i - 1].text) != leaders.end();
    if (!is_other) edits.replace(tokens[i], "__attribute__((noinline))");
  }
}

}  // namespace

Rewritten rewrite(std::string_view source, RewriteOptions options) {
  const auto tokens = rewriting::without_disabled(rewriting::tokenize(source));
  const rewriting::Outline outline(tokens);
  rewriting::Edits edits;
  Rewritten result;
  report_cuda_in_macros(tokens, result.errors);
  rewriting::rewrite_launches(outline, edits, result.errors);
  rewriting::rewrite_shared_memory(outline, edits, result.errors);
  if (options.mark_loop_exits) {
    rewriting::mark_loop_exits(outline, edits);
    rewriting::drop_unroll_pragmas(tokens, edits);
    result.prologue = rewriting::mark_device_variables(tokens, outline, edits);
  } else {
    rewriting::rewrite_unroll_pragmas(tokens, edits);
  }
  rewrite_noinline(tokens, edits);
  std::stable_sort(result.errors.begin(), result.errors.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  result.text = edits.apply_to(source);
  // Compilers take a byte order mark at the start of a file only, where a #line will stand.
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (source.starts_with(byte_order_mark)) result.text.erase(0, byte_order_mark.size());
  return result;
}

}  // namespace tilewise::simt
