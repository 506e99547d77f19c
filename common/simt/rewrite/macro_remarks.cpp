#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/macros.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Macro;
using rewriting::MacroArguments;
using rewriting::Token;
using Words = std::span<const Token>;

bool adds(const Token& token) { return token.is("+") || token.is("-"); }

bool multiplies(const Token& token) { return token.is("*") || token.is("/") || token.is("%"); }

/// Whether such an operator stands between tokens, outside of all brackets.
bool has_operator(Words words, bool (&is_one)(const Token&)) {
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].is("(") || words[i].is("[")) ++depth;
    if (words[i].is(")") || words[i].is("]")) --depth;
    if (i > 0 && depth == 0 && is_one(words[i])) return true;
  }
  return false;
}

/// Whether a macro multiplies or divides a parameter that has no parentheses around it.
bool is_bare(Words body, std::string_view parameter) {
  const auto binds_tightly = [&](std::size_t i) { return i < body.size() && multiplies(body[i]); };
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].is(parameter) && (binds_tightly(i + 1) || (i > 0 && binds_tightly(i - 1)))) {
      return true;
    }
  }
  return false;
}

/// The `)` of a `(`; nothing if it is missing.
std::optional<std::size_t> close_of(const std::vector<Token>& tokens, std::size_t open) {
  std::size_t depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(")) ++depth;
    if (tokens[i].is(")") && --depth == 0) return i;
  }
  return std::nullopt;
}

/// The macro's text for some arguments, on one line.
std::string expanded(const Macro& macro, const MacroArguments& arguments) {
  std::string text;
  for (std::size_t i = 0; i < macro.body.size(); ++i) {
    const Token& token = macro.body[i];
    const bool apart = i > 0 && macro.body[i - 1].end() != token.begin;
    const auto found = std::ranges::find(macro.parameters, token.text);
    const auto number = static_cast<std::size_t>(found - macro.parameters.begin());
    text += apart ? " " : "";
    text +=
        number < arguments.size() ? rewriting::joined(arguments[number]) : std::string(token.text);
  }
  return text;
}

/// Looks for a use of the macro that hands a sum to such a parameter. The first one is told.
void look_at_uses(const Macro& macro, const std::vector<Token>& tokens,
                  std::vector<Remark>& remarks) {
  const std::string_view name = macro.name->text;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || tokens[i].directive != 0 || !tokens[i + 1].is("(")) continue;
    const auto close = close_of(tokens, i + 1);
    if (!close) return;
    const MacroArguments arguments = rewriting::arguments_between(tokens, i + 1, *close);
    for (std::size_t k = 0; k < std::min(arguments.size(), macro.parameters.size()); ++k) {
      const std::string_view parameter = macro.parameters[k];
      if (!has_operator(arguments[k], adds) || !is_bare(macro.body, parameter)) continue;
      const Words all = Words(tokens).subspan(i + 2, *close - i - 2);
      remarks.push_back(
          {Remark::Kind::statement, macro.name->line,
           tr("{} puts its arguments in as they stand, without parentheses: {}({}) on line {} is "
              "{}",
              name, name, rewriting::joined(all), tokens[i].line, expanded(macro, arguments)),
           tr("Write ({0}) for {0} in the macro {1}, or make a function of it.", parameter, name)});
      return;
    }
  }
}

/// Looks for `e / DEPTH` where `#define DEPTH TILE / 2`. The first such use is told.
void look_at_neighbours(const Macro& macro, const std::vector<Token>& tokens,
                        std::vector<Remark>& remarks) {
  const bool is_sum = has_operator(macro.body, adds);
  if (!is_sum && !has_operator(macro.body, multiplies)) return;
  for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(macro.name->text) || tokens[i].directive != 0) continue;
    const Token &left = tokens[i - 2], &sign = tokens[i - 1], &behind = tokens[i + 1];
    const bool is_value =
        left.is_name() || left.is(")") || left.is("]") || left.kind == rewriting::TokenKind::number;
    const bool is_divided_by = is_value && (sign.is("/") || sign.is("%"));
    const bool is_multiplied = is_value && sign.is("*");
    const bool falls_apart = is_divided_by || (is_sum && (is_multiplied || multiplies(behind)));
    if (!falls_apart) continue;
    const bool is_first = !is_divided_by && !is_multiplied;
    const Words use = is_first ? Words(tokens).subspan(i, 3) : Words(tokens).subspan(i - 2, 3);
    const std::string body = rewriting::joined(macro.body);
    const std::string name(macro.name->text);
    const std::string given = rewriting::joined(use);
    std::string meant = given;
    meant.replace(is_first ? 0 : meant.size() - name.size(), name.size(), body);
    remarks.push_back(
        {Remark::Kind::statement, macro.name->line,
         tr("{} stands for {} without parentheses: {} on line {} is {}", name, body, given,
            tokens[i].line, meant),
         tr("Put parentheses around {} in the macro {}, or make a constexpr of it.", body, name)});
    return;
  }
}

}  // namespace

void remark_on_macros(const std::vector<Token>& tokens, std::vector<Remark>& remarks) {
  for (const Macro& macro : rewriting::macros_in(tokens)) {
    if (macro.has_parameters) look_at_uses(macro, tokens, remarks);
    if (!macro.has_parameters) look_at_neighbours(macro, tokens, remarks);
  }
}

}  // namespace tilewise::simt
