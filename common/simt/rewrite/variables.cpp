#include "common/simt/rewrite/variables.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

namespace {

/// Whether the & before a name stands between two values.
bool is_operand(const std::vector<Token>& code, std::size_t name) {
  const Token& left = code[name - 2];
  return name > 1 &&
         (left.is_name() || left.kind == TokenKind::number || left.is(")") || left.is("]"));
}

}  // namespace

std::optional<std::size_t> block_around(const Outline& outline, std::size_t index) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = index; i-- > 0;) {
    if (code[i].is("(")) return std::nullopt;  // the name is a parameter, or the counter of a loop
    if (code[i].is("{")) return i;
    if (code[i].is(")") || code[i].is("}")) i = outline.partner(i).value_or(i);
  }
  return std::nullopt;
}

namespace {

/// Returns the [ of the captures of a lambda whose body a bracket opens.
std::optional<std::size_t> captures_before(const Outline& outline, std::size_t brace) {
  const std::vector<Token>& code = outline.code();
  if (brace == 0) return std::nullopt;
  std::size_t last = brace - 1;
  if (code[last].is("mutable") && last > 0) --last;
  if (code[last].is(")")) {
    const auto open = outline.partner(last);
    if (!open || *open == 0) return std::nullopt;
    last = *open - 1;
  }
  return code[last].is("]") ? outline.partner(last) : std::nullopt;
}

}  // namespace

bool opens_lambda(const Outline& outline, std::size_t brace) {
  const auto captures = captures_before(outline, brace);
  // An array, `int a[2] {1, 2}`, has a name before its bracket.
  return captures && *captures > 0 && !outline.code()[*captures - 1].is_name();
}

std::optional<Lambda> lambda_around(const Outline& outline, std::size_t index, std::size_t body) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = index; i-- > body + 1;) {
    if (code[i].is(")") || code[i].is("}") || code[i].is("]")) {
      i = outline.partner(i).value_or(i);
    } else if (code[i].is("{") && opens_lambda(outline, i)) {
      const std::size_t captures = *captures_before(outline, i);
      const auto end = outline.partner(i);
      if (captures < 2 || !code[captures - 1].is("=") || !end) return std::nullopt;
      return Lambda{captures - 2, i, *end};
    }
  }
  return std::nullopt;
}

bool is_changed_at(const Outline& outline, std::size_t name) {
  static constexpr auto with_equals =
      std::to_array<std::string_view>({"+", "-", "*", "/", "%", "&", "|", "^"});
  const std::vector<Token>& code = outline.code();
  std::size_t next = name + 1;
  while (next + 2 < code.size() && code[next].is("[")) next = outline.behind(next);
  const Token &before = code[name - 1], &behind = code[next];
  const auto is_twice = [&](std::size_t first, std::string_view sign) {
    return code[first].is(sign) && code[first + 1].is(sign);
  };
  const bool is_counted = is_twice(next, "+") || is_twice(next, "-") ||
                          (name > 1 && (is_twice(name - 2, "+") || is_twice(name - 2, "-")));
  const bool is_assigned = behind.is("=") && !code[next + 1].is("=");
  const bool is_joined = (std::ranges::find(with_equals, behind.text) != with_equals.end() &&
                          code[next + 1].is("=")) ||
                         (behind.is("<<") && code[next + 1].is("=")) || behind.is("<<=") ||
                         (behind.is(">") && code[next + 1].is(">=")) ||
                         (before.is("&") && !is_operand(code, name));
  return is_counted || is_assigned || is_joined;
}

bool may_change(const Outline& outline, std::size_t name) {
  const std::vector<Token>& code = outline.code();
  std::size_t next = name + 1;
  while (next + 2 < code.size() && code[next].is("[")) next = outline.behind(next);
  const Token &before = code[name - 1], &behind = code[next];
  const bool is_tested =
      before.is("(") && name > 1 && (code[name - 2].is("if") || code[name - 2].is("while"));
  const bool is_handed_on =
      !is_tested && (before.is("(") || before.is(",")) && (behind.is(")") || behind.is(","));
  // A member is used, or a reference is made.
  const bool is_more = behind.is(".") || behind.is(">") || before.is("&");
  return is_handed_on || is_more || is_changed_at(outline, name);
}

namespace {

/// Whether the variable is declared with a value here: `int row = ...` or, after a comma, `col =
/// ...`.
bool is_defined_at(const Outline& outline, std::size_t name) {
  static constexpr auto no_types =
      std::to_array<std::string_view>({"return", "else", "do", "case", "goto"});
  const std::vector<Token>& code = outline.code();
  if (name == 0 || name + 2 >= code.size() || !code[name + 1].is("=")) return false;
  if (code[name - 1].is_name()) {
    return std::ranges::find(no_types, code[name - 1].text) == no_types.end();
  }
  if (!code[name - 1].is(",")) return false;
  // The statement must begin as a declaration does.
  std::size_t first = name - 1;
  while (first > 0 && !code[first - 1].is(";") && !code[first - 1].is("{") &&
         !code[first - 1].is("}")) {
    --first;
    if (code[first].is("(")) return false;
    if (code[first].is(")") || code[first].is("]")) first = outline.partner(first).value_or(first);
  }
  return code[first].is_name() && code[first + 1].is_name();
}

std::size_t end_of_value(const Outline& outline, std::size_t first) {
  const std::vector<Token>& code = outline.code();
  std::size_t end = first;
  while (end < code.size() && !code[end].is(",") && !code[end].is(";") && !code[end].is(")")) {
    end = outline.behind(end);
  }
  return end;
}

}  // namespace

std::optional<Part> definition_of(const Outline& outline, std::size_t name, std::size_t body) {
  const std::vector<Token>& code = outline.code();
  const std::string_view variable = code[name].text;
  std::size_t at = name;
  while (at-- > body + 1) {
    if (code[at].text != variable || !is_defined_at(outline, at)) continue;
    const auto block = block_around(outline, at);
    const auto end = block ? outline.partner(*block) : std::nullopt;
    if (!end) return std::nullopt;  // it is a loop counter
    if (*end < name) continue;      // its block has ended before
    for (std::size_t i = at + 2; i < *end; ++i) {
      if (code[i].text == variable && is_changed_at(outline, i)) return std::nullopt;
    }
    return Part{at + 2, end_of_value(outline, at + 2)};
  }
  return std::nullopt;
}

}  // namespace tilewise::simt::rewriting
