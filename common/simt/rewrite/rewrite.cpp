#include "common/simt/rewrite/rewrite.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "common/simt/rewrite/macros.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Macro;
using rewriting::Token;

void rewrite_macro(Macro macro, const rewriting::LaunchMacros& launch_macros,
                   rewriting::Edits& edits, std::vector<RewriteError>& errors) {
  const bool declares = macro.says("__shared__");
  const bool launches = macro.says("<<<") ||
                        std::any_of(macro.body.begin(), macro.body.end(), [&](const Token& token) {
                          return launch_macros.contains(token.text);
                        });
  if (!declares && !launches) return;
  std::vector<Token>& body = macro.body;
  if (declares && !body.back().is(";") && !body.back().is("}")) {
    // Stands for the semicolon that follows the use of the macro.
    const Token last = body.back();
    body.push_back({rewriting::TokenKind::punctuation, last.end() - 1, ";", last.line, 0});
  }
  const rewriting::Outline outline(body);
  rewriting::rewrite_launches(outline, launch_macros, true, edits, errors);
  rewriting::rewrite_shared_memory(outline, true, edits, errors);
}

/// Returns the macros that stand for a launch without its kernel, as in `#define ON(grid) <<<grid,
/// 128>>>`, and those whose text begins with such a macro.
rewriting::LaunchMacros launch_macros_in(const std::vector<Macro>& macros) {
  constexpr int most_rounds = 16;  // a macro may stand for a macro that stands for a macro ...
  rewriting::LaunchMacros found;
  for (int i = 0; i < most_rounds; ++i) {
    const std::size_t before = found.size();
    for (const Macro& macro : macros) {
      if (macro.body.empty()) continue;
      const Token& first = macro.body.front();
      if (first.is("<<<") || found.contains(first.text)) found.insert(macro.name->text);
    }
    if (found.size() == before) break;
  }
  return found;
}

// CUDA's __noinline__ cannot be defined as a macro, because the standard library spells an
// attribute the same way.
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

Rewritten rewrite(std::string_view original, const RewriteOptions& options) {
  const std::string joined = rewriting::with_launches_joined(original);
  const auto [source, unused_macros] = rewriting::with_macros_written_out(joined);
  const auto tokens = rewriting::without_disabled(rewriting::tokenize(source));
  const rewriting::Outline outline(tokens);
  rewriting::Edits edits;
  Rewritten result;
  auto macros = rewriting::macros_in(tokens);
  const rewriting::LaunchMacros launch_macros = launch_macros_in(macros);
  std::set<std::string_view> macro_names;
  for (const Macro& macro : macros) macro_names.insert(macro.name->text);
  macro_names.insert(options.macros_elsewhere.begin(), options.macros_elsewhere.end());
  rewriting::check_execution_spaces(tokens, outline, macro_names, options.words_elsewhere,
                                    result.errors);
  rewriting::check_dynamic_arrays(tokens, outline, result.errors);
  for (Macro& macro : macros) {
    const bool is_used = !unused_macros.contains(std::string(macro.name->text));
    std::vector<RewriteError> of_nobody;
    rewrite_macro(std::move(macro), launch_macros, edits, is_used ? result.errors : of_nobody);
  }
  rewriting::rewrite_launches(outline, launch_macros, false, edits, result.errors);
  rewriting::mark_addressed_kernels(outline, edits);
  rewriting::rewrite_assembly(outline, edits);
  rewriting::copy_structures_to_calls(outline, edits);
  rewriting::name_member_templates(outline, edits);
  rewriting::rewrite_shared_memory(outline, false, edits, result.errors);
  if (options.mark_loop_exits) {
    rewriting::keep_launch_bounds(tokens, outline, edits);
    rewriting::mark_loop_exits(outline, edits);
    rewriting::drop_unroll_pragmas(tokens, edits);
    result.prologue = rewriting::mark_device_variables(tokens, outline, options.file_tag, edits);
  } else {
    rewriting::rewrite_unroll_pragmas(tokens, edits);
  }
  if (options.watch_private_variables) {
    rewriting::watch_private_variables(outline, macro_names, edits);
  }
  rewrite_noinline(tokens, edits);
  rewriting::name_target_of_device_code(tokens, outline, edits);
  std::stable_sort(result.errors.begin(), result.errors.end(),
                   [](const auto& a, const auto& b) { return a.line < b.line; });
  result.text = edits.apply_to(source);
  // Compilers accept a byte order mark only at the start of a file, where a #line will stand.
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (source.starts_with(byte_order_mark)) result.text.erase(0, byte_order_mark.size());
  return result;
}

}  // namespace tilewise::simt
