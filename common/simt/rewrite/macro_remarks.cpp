#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Token;
using rewriting::TokenKind;
using Tokens = std::span<const Token>;

bool binds_tightly(const Token& token) { return token.is("*") || token.is("/") || token.is("%"); }

/// `#define AT(r, c) r * n + c`
struct Macro {
  std::string_view name;
  std::vector<std::string_view> parameters;
  Tokens body;
  int line;
};

/// Returns the macro with parameters that is defined at a `#`; without a body if none is.
Macro macro_at(const std::vector<Token>& tokens, std::size_t hash) {
  Macro macro{};
  std::size_t end = hash;
  while (end < tokens.size() && tokens[end].directive == tokens[hash].directive) ++end;
  const std::size_t open = hash + 3;
  const bool is_one = open < end && tokens[hash + 1].is("define") && tokens[open].is("(") &&
                      tokens[open].begin == tokens[open - 1].end();
  if (!is_one) return macro;
  std::size_t close = open + 1;
  for (; close < end && !tokens[close].is(")"); ++close) {
    if (tokens[close].is_name()) macro.parameters.push_back(tokens[close].text);
  }
  macro.name = tokens[hash + 2].text;
  macro.line = tokens[hash].line;
  if (close < end) macro.body = Tokens(tokens).subspan(close + 1, end - close - 1);
  return macro;
}

/// Whether a sum stands among tokens, outside of all brackets.
bool is_sum(Tokens words) {
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
bool is_bare(Tokens body, std::string_view parameter) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (!body[i].is(parameter)) continue;
    if (i > 0 && binds_tightly(body[i - 1])) return true;
    if (i + 1 < body.size() && binds_tightly(body[i + 1])) return true;
  }
  return false;
}

/// The arguments of a call whose `(` stands at a token; empty if it does not end.
std::vector<Tokens> arguments_at(const std::vector<Token>& tokens, std::size_t open) {
  std::vector<Tokens> found;
  int depth = 0;
  std::size_t first = open + 1;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("[")) ++depth;
    if (tokens[i].is(")") || tokens[i].is("]")) --depth;
    if (depth == 0 || (depth == 1 && tokens[i].is(","))) {
      found.push_back(Tokens(tokens).subspan(first, i - first));
      first = i + 1;
    }
    if (depth == 0) return found;
  }
  return {};
}

/// The macro's text for some arguments, on one line.
std::string expanded(const Macro& macro, const std::vector<Tokens>& arguments) {
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

}  // namespace

void remark_on_macros(const std::vector<Token>& tokens, std::vector<Remark>& remarks) {
  std::map<std::string_view, Macro> macros;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("#") && tokens[i].directive != 0) {
      const Macro macro = macro_at(tokens, i);
      if (!macro.body.empty()) macros[macro.name] = macro;
    }
    const auto known = macros.find(tokens[i].text);
    const bool is_used = known != macros.end() && tokens[i].directive == 0 &&
                         i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!is_used) continue;
    const Macro& macro = known->second;
    const std::vector<Tokens> arguments = arguments_at(tokens, i + 1);
    for (std::size_t k = 0; k < std::min(arguments.size(), macro.parameters.size()); ++k) {
      if (!is_sum(arguments[k]) || !is_bare(macro.body, macro.parameters[k])) continue;
      remarks.push_back(
          {Remark::Kind::statement, macro.line,
           tr("{} puts its arguments in as they stand, without parentheses: {}({}) on line {} is "
              "{}",
              macro.name, macro.name,
              rewriting::joined(Tokens(arguments.front().begin(), arguments.back().end())),
              tokens[i].line, expanded(macro, arguments)),
           tr("Write ({0}) for {0} in the macro {1}, or make a function of it.",
              macro.parameters[k], macro.name)});
      macros.erase(known);
      break;
    }
  }
}

}  // namespace tilewise::simt
