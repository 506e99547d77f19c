#include "common/simt/rewrite/rewrite.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Token;

/// A macro's definition.
struct Macro {
  const Token* name;
  bool has_parameters;
  std::vector<Token> body;  ///< as code of its own

  bool says(std::string_view word) const {
    return std::any_of(body.begin(), body.end(),
                       [&](const Token& token) { return token.is(word); });
  }
};

std::vector<Macro> macros_in(const std::vector<Token>& tokens) {
  std::vector<Macro> macros;
  for (std::size_t i = 2; i < tokens.size(); ++i) {
    if (tokens[i].directive == 0 || !tokens[i - 2].is("#") || !tokens[i - 1].is("define")) continue;
    const auto is_part = [&](std::size_t at) {
      return at < tokens.size() && tokens[at].directive == tokens[i].directive;
    };
    std::size_t at = i + 1;
    const bool has_parameters =
        is_part(at) && tokens[at].is("(") && tokens[at].begin == tokens[i].end();
    while (has_parameters && is_part(at) && !tokens[at++].is(")")) {
    }
    Macro& macro = macros.emplace_back(Macro{&tokens[i], has_parameters, {}});
    for (; is_part(at); ++at) {
      macro.body.push_back(tokens[at]);
      macro.body.back().directive = 0;
    }
  }
  return macros;
}

/// The source with macros such as `#define SHARED __shared__` written out, because a declaration is
/// read as a whole.
std::string with_words_for_shared(std::string_view source) {
  const auto tokens = rewriting::without_disabled(rewriting::tokenize(source));
  const auto macros = macros_in(tokens);
  std::map<std::string_view, std::string> words;
  for (const Macro& macro : macros) {
    if (!macro.has_parameters && macro.says("__shared__")) {
      words[macro.name->text] = rewriting::joined(macro.body);
    }
  }
  std::map<std::string_view, int> definitions;
  for (const Macro& macro : macros) ++definitions[macro.name->text];
  std::erase_if(words, [&](const auto& word) { return definitions[word.first] > 1; });
  rewriting::Edits edits;
  const auto write_out = [&](const Token& token) {
    if (const auto word = words.find(token.text); word != words.end()) {
      edits.replace(token, word->second);
    }
  };
  for (const Token& token : tokens) {
    if (token.directive == 0) write_out(token);
  }
  for (const Macro& macro : macros) {
    if (words.contains(macro.name->text)) {
      for (const Token& token : macro.body) edits.erase(token);
    } else {
      for (const Token& token : macro.body) write_out(token);
    }
  }
  return edits.apply_to(source);
}

void rewrite_macro(Macro macro, rewriting::Edits& edits, std::vector<RewriteError>& errors) {
  const bool declares = macro.says("__shared__");
  if (!declares && !macro.says("<<<")) return;
  std::vector<Token>& body = macro.body;
  if (declares && !body.back().is(";") && !body.back().is("}")) {
    // The semicolon that stands where the macro is used.
    const Token last = body.back();
    body.push_back({rewriting::TokenKind::punctuation, last.end() - 1, ";", last.line, 0});
  }
  const rewriting::Outline outline(body);
  rewriting::rewrite_launches(outline, true, edits, errors);
  rewriting::rewrite_shared_memory(outline, true, edits, errors);
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

Rewritten rewrite(std::string_view original, RewriteOptions options) {
  const std::string source = with_words_for_shared(original);
  const auto tokens = rewriting::without_disabled(rewriting::tokenize(source));
  const rewriting::Outline outline(tokens);
  rewriting::Edits edits;
  Rewritten result;
  for (Macro& macro : macros_in(tokens)) rewrite_macro(std::move(macro), edits, result.errors);
  rewriting::rewrite_launches(outline, false, edits, result.errors);
  rewriting::rewrite_shared_memory(outline, false, edits, result.errors);
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
