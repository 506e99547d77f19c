#include <algorithm>
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
using rewriting::Token;
using Words = std::span<const Token>;

/// Whether a sum stands among tokens, outside of all brackets.
bool is_sum(Words words) {
  int depth = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].is("(") || words[i].is("[")) ++depth;
    if (words[i].is(")") || words[i].is("]")) --depth;
    const bool adds = words[i].is("+") || words[i].is("-");
    if (i > 0 && depth == 0 && adds) return true;
  }
  return false;
}

/// Whether a macro multiplies or divides a parameter that has no parentheses around it.
bool is_bare(Words body, std::string_view parameter) {
  const auto binds_tightly = [&](std::size_t i) {
    return i < body.size() && (body[i].is("*") || body[i].is("/") || body[i].is("%"));
  };
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].is(parameter) && (binds_tightly(i + 1) || (i > 0 && binds_tightly(i - 1)))) {
      return true;
    }
  }
  return false;
}

/// The arguments of a call whose `(` stands at a token; empty if it does not end.
std::vector<Words> arguments_at(const std::vector<Token>& tokens, std::size_t open) {
  std::vector<Words> found;
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("]")) --depth;
    if (depth == 0 || (depth == 1 && tokens[i].is(","))) {
      found.push_back(Words(tokens).subspan(first, i - first));
      first = i + 1;
    }
    if (depth == 0) return found;
  }
  return {};
}

/// The macro's text for some arguments, on one line.
std::string expanded(const Macro& macro, const std::vector<Words>& arguments) {
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
    const std::vector<Words> arguments = arguments_at(tokens, i + 1);
    for (std::size_t k = 0; k < std::min(arguments.size(), macro.parameters.size()); ++k) {
      const std::string_view parameter = macro.parameters[k];
      if (!is_sum(arguments[k]) || !is_bare(macro.body, parameter)) continue;
      const Words& last = arguments.back();
      const Words all(arguments.front().data(), last.data() + last.size());
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

}  // namespace

void remark_on_macros(const std::vector<Token>& tokens, std::vector<Remark>& remarks) {
  for (const Macro& macro : rewriting::macros_in(tokens)) {
    if (macro.has_parameters) look_at_uses(macro, tokens, remarks);
  }
}

}  // namespace tilewise::simt
