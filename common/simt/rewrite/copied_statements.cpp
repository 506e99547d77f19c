// Finds statements that were copied from a neighbour and then not changed in every place.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;
using rewriting::TokenKind;

/// `c10 += a1 * b.x;`
struct Assignment {
  std::size_t first, sign, end;  ///< first tokens of the target and the operator, and the semicolon
  bool adds;                     ///< the operator is +=, which is two tokens
};

/// Returns the assignment that begins at a token and is no declaration.
std::optional<Assignment> assignment_at(const Outline& outline, std::size_t first) {
  const std::vector<Token>& code = outline.code();
  if (code[first].kind != TokenKind::identifier) return std::nullopt;
  std::size_t i = first + 1;
  while (i < code.size() && code[i].is("[")) i = outline.partner(i).value_or(code.size()) + 1;
  if (i + 1 >= code.size()) return std::nullopt;
  const bool adds = code[i].is("+") && code[i + 1].is("=");
  if (!adds && !code[i].is("=")) return std::nullopt;
  std::size_t end = i + (adds ? 2 : 1);
  while (end < code.size() && !code[end].is(";")) {
    if (code[end].is("{") || code[end].is("}")) return std::nullopt;
    ++end;
  }
  if (end >= code.size()) return std::nullopt;
  return Assignment{first, i, end, adds};
}

bool are_same(const std::vector<Token>& code, std::size_t a, std::size_t a_end, std::size_t b,
              std::size_t b_end) {
  return std::equal(code.begin() + std::ptrdiff_t(a), code.begin() + std::ptrdiff_t(a_end),
                    code.begin() + std::ptrdiff_t(b), code.begin() + std::ptrdiff_t(b_end),
                    [](const Token& one, const Token& other) { return one.text == other.text; });
}

bool has(const std::vector<Token>& code, std::size_t from, std::size_t to, std::string_view text) {
  return std::any_of(code.begin() + std::ptrdiff_t(from), code.begin() + std::ptrdiff_t(to),
                     [&](const Token& token) { return token.is(text); });
}

/// Whether a name is that of a pointer or of an index: it has a subscript, is dereferenced, or
/// stands in a subscript.
bool leads_somewhere(const Outline& outline, std::string_view name) {
  static constexpr auto before_operands =
      std::to_array<std::string_view>({"=", "(", ",", "?", ":", "+", "-", "return", ";"});
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = 2; i + 1 < code.size(); ++i) {
    if (code[i].is("[") && has(code, i, outline.partner(i).value_or(i), name)) return true;
    if (!code[i].is(name)) continue;
    const bool is_followed =
        code[i - 1].is("*") &&
        std::ranges::find(before_operands, code[i - 2].text) != before_operands.end();
    if (is_followed || code[i + 1].is("[")) return true;
  }
  return false;
}

/// Whether it is surely a mistake for two neighbours to take the same value from the right: a
/// product that is added to two sums, or an element or a variable that is stored in two places of
/// tiles.
bool is_of_one_place(const Outline& outline, const Assignment& each) {
  const std::vector<Token>& code = outline.code();
  if (each.adds) {
    // Pointers and indices may well move by equal steps.
    const bool goes_on =
        each.sign == each.first + 1 && leads_somewhere(outline, code[each.first].text);
    return has(code, each.sign, each.end, "*") && !goes_on;
  }
  const bool is_element = code[each.end - 1].is("]");
  const bool is_variable =
      each.end == each.sign + 2 && code[each.sign + 1].kind == TokenKind::identifier;
  return code[each.sign - 1].is("]") && (is_element || is_variable);
}

std::string words(std::string_view source, const Token& first, const Token& last) {
  return std::string(source.substr(first.begin, last.end() - first.begin));
}

}  // namespace

void remark_on_copies(const Outline& outline, std::string_view source,
                      std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  std::vector<Assignment> run;  // successive assignments
  for (std::size_t i = 1; i < code.size(); ++i) {
    const bool begins_here = code[i - 1].is(";") || code[i - 1].is("{") || code[i - 1].is("}");
    if (!begins_here) continue;
    if (!code[i - 1].is(";") || (!run.empty() && run.back().end != i - 1)) run.clear();
    const auto found = assignment_at(outline, i);
    if (!found) {
      run.clear();
      continue;
    }
    for (const Assignment& before : run) {
      if (!are_same(code, before.sign, before.end, found->sign, found->end)) continue;
      if (!is_of_one_place(outline, *found) || !is_of_one_place(outline, before)) continue;
      const std::string value =
          words(source, code[found->sign + (found->adds ? 2 : 1)], code[found->end - 1]);
      const std::string first = words(source, code[before.first], code[before.sign - 1]);
      const std::string second = words(source, code[found->first], code[found->sign - 1]);
      remarks.push_back({Remark::Kind::doubt, code[i].line,
                         first == second ? tr("{} gets the same here as on line {}, {}", first,
                                              code[before.first].line, value)
                                         : tr("{} gets here what {} gets on line {}, {}", second,
                                              first, code[before.first].line, value),
                         tr("Was one copied from the other, and not changed in every place?")});
      return;  // one remark is enough, since the following statements may be copies, too
    }
    run.push_back(*found);
  }
}

}  // namespace tilewise::simt
