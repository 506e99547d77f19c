// Variants of values: built-in variables, pairs of values, and numbers.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>

#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::is_changed_at;
using simt::rewriting::TokenKind;

namespace {

constexpr auto builtins =
    std::to_array<std::string_view>({"threadIdx", "blockIdx", "blockDim", "gridDim"});

/// Whether a member such as `threadIdx.x` begins at a token.
bool is_builtin_member(const std::vector<Token>& code, std::size_t i) {
  return is_builtin(code[i]) && code[i + 1].is(".") && code[i + 2].is_name();
}

bool is_in_kernel_code(const Place& place) { return place.function().is_of_device; }

}  // namespace

bool is_read(const Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  const Token &before = code[i - 1], &behind = code[i + 1];
  const bool is_member = before.is(".") || before.is("->") || before.is("::");
  const bool is_called = behind.is("(") || behind.is("::") || behind.is(".");
  const bool has_address_taken =
      before.is("&") && !(code[i - 2].is_name() || code[i - 2].is(")") || code[i - 2].is("]"));
  return code[i].is_name() && place.may_vary(i) && !is_member && !is_called && !has_address_taken;
}

std::string other_side(std::string_view member) { return member == "x" ? "y" : "x"; }

bool is_builtin(const Token& token) {
  return std::ranges::find(builtins, token.text) != builtins.end();
}

void vary_builtins(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const Variable* const variable = is_read(place, i) ? place.scope().find(i) : nullptr;
    if (is_builtin_member(code, i) && place.may_vary(i)) {
      const Part words{i, i + 3};
      const std::string member(code[i + 2].text);
      place.add_expression(words, std::string(code[i].text) + "." + other_side(member));
      for (const std::string_view other : builtins) {
        if (other != code[i].text)
          place.add_expression(words, std::string(other) + "." + member, 2);
      }
      for (const Variable* other : place.scope().seen_at(i)) {
        if (other->type == Variable::Type::integer) {
          place.add_expression(words, std::string(other->name), 2);
        }
      }
      i += 2;
    } else if (variable != nullptr && variable->type == Variable::Type::integer &&
               is_in_kernel_code(place) && !is_changed_at(place.outline(), i)) {
      for (const char* builtin : {"threadIdx.x", "threadIdx.y"}) {
        place.add_expression({i, i + 1}, builtin, 2);
      }
    }
  }
}

namespace {

/// Exchanges two values wherever they stand among some tokens.
/// @param is_among whether to exchange at a token; empty: at all of them
void exchange(Place& place, Part words, const std::string& a, const std::string& b, int cost,
              const std::function<bool(std::size_t)>& is_among = {}) {
  const std::vector<Token>& code = place.code();
  Variant variant{.changes = {}, .line = 0, .edits = {}, .cost = cost};
  std::vector<Rewording> rewordings;
  for (std::size_t i = words.first; i < words.end; ++i) {
    if (is_among && !is_among(i)) continue;
    const std::size_t end = is_builtin_member(code, i) ? i + 3 : i + 1;
    const std::string given = place.words_of({i, end});
    if ((given != a && given != b) || !place.may_vary(i)) continue;
    if (end == i + 1 && (!is_read(place, i) || is_changed_at(place.outline(), i))) continue;
    const std::string& other = given == a ? b : a;
    const bool is_seen = other.find('.') != other.npos ||
                         std::ranges::any_of(place.scope().seen_at(i), [&](const Variable* each) {
                           return each->name == other;
                         });
    if (!is_seen) return;
    variant.changes.push_back({Change::Form::expression, {i, end}, other});
    rewordings.push_back({{i, end}, other});
  }
  if (variant.changes.size() < 2) return;
  variant.line = code[variant.changes.front().words.first].line;
  variant.edits = rewordings;
  place.add(std::move(variant));
}

/// The integer variables and built-in values among some tokens.
std::vector<std::string> values_in(const Place& place, Part words) {
  std::vector<std::string> found;
  for (std::size_t i = words.first; i < words.end; ++i) {
    std::string value;
    if (is_builtin_member(place.code(), i)) {
      value = place.words_of({i, i + 3});
    } else if (const Variable* variable = is_read(place, i) ? place.scope().find(i) : nullptr;
               variable != nullptr && variable->type == Variable::Type::integer) {
      value = variable->name;
    }
    if (!value.empty() && std::ranges::find(found, value) == found.end()) found.push_back(value);
  }
  return found;
}

}  // namespace

namespace {

/// Exchanges two built-in variables, with any member, in a whole function.
void exchange_builtins(Place& place, std::string_view a, std::string_view b) {
  Variant variant{.changes = {}, .line = 0, .edits = {}, .cost = 2};
  std::vector<Rewording> rewordings;
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const Token& token = place.code()[i];
    if (!is_builtin_member(place.code(), i) || !(token.is(a) || token.is(b))) continue;
    const std::string member(place.code()[i + 2].text);
    const std::string other = std::string(token.is(a) ? b : a) + "." + member;
    variant.changes.push_back({Change::Form::expression, {i, i + 3}, other});
    rewordings.push_back({{i, i + 3}, other});
  }
  if (variant.changes.size() < 2) return;
  variant.line = place.code()[variant.changes.front().words.first].line;
  variant.edits = rewordings;
  place.add(std::move(variant));
}

/// Exchanges two of the values in the conditions of two neighbouring guards.
void exchange_in_guards(Place& place, const Statement& a, const Statement& b) {
  const auto condition_of = [&](const Statement& guard) {
    const std::size_t open = guard.words.first + 1;
    const bool is_guard = place.code()[open - 1].is("if") && place.code()[open].is("(");
    return is_guard ? Part{open, place.outline().behind(open)} : Part{};
  };
  const Part first = condition_of(a), second = condition_of(b);
  if (first.first == first.end || second.first == second.end) return;
  const std::vector<std::string> values = values_in(place, {first.first, second.end});
  const auto is_condition = [&](std::size_t i) { return i < first.end || i >= second.first; };
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = i + 1; k < values.size(); ++k) {
      exchange(place, {first.first, second.end}, values[i], values[k], 2, is_condition);
    }
  }
}

/// Exchanges two elements of an array, such as `four[1]` and `four[2]`, among some tokens.
void exchange_elements(Place& place, Part words) {
  const std::vector<Token>& code = place.code();
  for (std::size_t a = words.first + 2; a < words.end; ++a) {
    for (std::size_t b = a + 1; b < words.end; ++b) {
      const auto is_element = [&](std::size_t i) {
        return code[i - 1].is("[") && code[i + 1].is("]") && whole_number(code[i]) &&
               place.may_vary(i);
      };
      if (!is_element(a) || !is_element(b)) continue;
      if (code[a - 2].text != code[b - 2].text || code[a].text == code[b].text) continue;
      const std::string first(code[a].text), second(code[b].text);
      place.add({.changes = {{Change::Form::expression, {a, a + 1}, second},
                             {Change::Form::expression, {b, b + 1}, first}},
                 .line = code[a].line,
                 .edits = {{{a, a + 1}, second}, {{b, b + 1}, first}},
                 .cost = 2});
    }
  }
}

}  // namespace

void vary_elements(Place& place) {
  for (const Statement* statement : with_inner(place.body())) {
    for (std::size_t i = 0; i + 1 < statement->inner.size(); ++i) {
      const Statement &a = statement->inner[i], &b = statement->inner[i + 1];
      if (a.inner.empty() && b.inner.empty()) {
        exchange_elements(place, {a.words.first, b.words.end});
      }
    }
  }
}

void vary_pairs(Place& place) {
  constexpr std::size_t most_values = 8;
  const auto exchange_in = [&](Part words, int cost) {
    std::vector<std::string> values = values_in(place, words);
    if (values.size() > most_values) values.resize(most_values);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t k = i + 1; k < values.size(); ++k) {
        exchange(place, words, values[i], values[k], cost);
      }
    }
  };
  for (const Statement* statement : with_inner(place.body())) {
    const bool is_simple = statement->kind == Statement::Kind::expression ||
                           statement->kind == Statement::Kind::declaration;
    if (is_simple && statement->inner.empty()) exchange_in(statement->words, 2);
    for (std::size_t i = 0; i + 1 < statement->inner.size(); ++i) {
      const Statement &a = statement->inner[i], &b = statement->inner[i + 1];
      if (a.inner.empty() && b.inner.empty()) {
        exchange_in({a.words.first, b.words.end}, 2);
      }
      exchange_in_guards(place, a, b);
    }
  }
  exchange_builtins(place, "threadIdx", "blockIdx");
  exchange_builtins(place, "blockDim", "gridDim");
  const Part all = place.body().words;
  for (const char* side : {"x", "y"}) {
    const std::string member = std::string(".") + side;
    exchange(place, all, "threadIdx" + member, "blockIdx" + member, 3);
    exchange(place, all, "blockDim" + member, "gridDim" + member, 3);
  }
  for (const std::string_view builtin : builtins) {
    exchange(place, all, std::string(builtin) + ".x", std::string(builtin) + ".y", 3);
  }
}

namespace {

/// What a token stands for if it is a side of a built-in variable, `threadIdx.x`, or a variable
/// that was set to one, with the text for the other side.
struct Side {
  Part words;
  std::string builtin;  ///< "threadIdx"
  std::string other;    ///< what the other side is called there
};

std::optional<Side> side_at(const Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  const auto is_side = [&](std::size_t at) {
    return is_builtin_member(code, at) && !code[at + 2].is("z");
  };
  const auto builtin_of = [&](std::size_t at) { return std::string(code[at].text); };
  if (is_side(i)) {
    const std::string other = builtin_of(i) + "." + other_side(code[i + 2].text);
    return Side{{i, i + 3}, builtin_of(i), other};
  }
  const Variable* const variable = is_read(place, i) ? place.scope().find(i) : nullptr;
  const auto is_set_to_side = [&](const Variable& each) {
    return each.value.end == each.value.first + 3 && is_side(each.value.first);
  };
  if (variable == nullptr || !is_set_to_side(*variable)) return std::nullopt;
  const std::size_t value = variable->value.first;
  for (const Variable* other : place.scope().seen_at(i)) {
    if (other == variable || !is_set_to_side(*other)) continue;
    const bool is_of_it = code[other->value.first].text == code[value].text;
    if (is_of_it && code[other->value.first + 2].text != code[value + 2].text) {
      return Side{{i, i + 1}, builtin_of(value), std::string(other->name)};
    }
  }
  return std::nullopt;
}

}  // namespace

void vary_both_sides(Place& place) {
  // Exchanges x and y of all built-in variables in a statement: threads are numbered along the rows
  // of a block or down its columns.
  for (const Statement* statement : with_inner(place.body())) {
    const bool is_simple = statement->kind == Statement::Kind::expression ||
                           statement->kind == Statement::Kind::declaration;
    if (!is_simple || !statement->inner.empty()) continue;
    Variant variant{.changes = {}, .line = 0, .edits = {}, .cost = 2};
    std::set<std::string> builtins_there;
    for (std::size_t i = statement->words.first; i + 2 < statement->words.end; ++i) {
      const auto side = place.may_vary(i) ? side_at(place, i) : std::nullopt;
      if (!side) continue;
      variant.changes.push_back({Change::Form::expression, side->words, side->other});
      variant.edits.push_back({side->words, side->other});
      builtins_there.insert(side->builtin);
    }
    // vary_pairs() exchanges the two sides of a single variable.
    if (builtins_there.size() < 2) continue;
    variant.line = place.code()[variant.changes.front().words.first].line;
    place.add(std::move(variant));
  }
}

namespace {

/// Whether a remainder is compared with a number, such as the 0 of `offset % 4 == 0`. With another
/// number the condition would only never hold, or always.
bool is_compared_with_rest(const std::vector<Token>& code, std::size_t number) {
  if (!code[number - 1].is("==") && !code[number - 1].is("!=")) return false;
  static constexpr auto ends =
      std::to_array<std::string_view>({"&&", "||", ";", "{", "}", "return"});
  for (std::size_t i = number - 1; i-- > 0;) {
    if (code[i].is("%")) return true;
    if (std::ranges::find(ends, code[i].text) != ends.end()) return false;
  }
  return false;
}

/// Writes `tx` for `2 * tx`, or for `tx * 2`, in place of a factor 1. Returns nothing if the number
/// is no factor.
std::optional<Rewording> with_one_factor_less(const Place& place, std::size_t number) {
  const std::vector<Token>& code = place.code();
  const bool divides = code[number - 1].is("/") || code[number - 1].is("%");
  if (code[number + 1].is("*") && !divides) {
    return Rewording{{number, number + 3}, place.text_of({number + 2, number + 3})};
  }
  const bool is_product = code[number - 1].is("*") &&
                          (code[number - 2].is_name() || code[number - 2].is(")") ||
                           code[number - 2].is("]") || code[number - 2].kind == TokenKind::number);
  if (!is_product) return std::nullopt;
  return Rewording{{number - 2, number + 1}, place.text_of({number - 2, number - 1})};
}

}  // namespace

void vary_numbers(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 1; i < place.function().end; ++i) {
    const auto value = whole_number(code[i]);
    if (!value || !place.may_vary(i)) continue;
    if (is_compared_with_rest(code, i) || rounds_up(code, i)) continue;
    std::set<long> others = {*value + 1};
    if (*value > 0) others.insert(*value - 1);
    if (*value > 1) others.insert({2 * *value, *value / 2});
    for (const long other : others) {
      const auto factor = other == 1 ? with_one_factor_less(place, i) : std::nullopt;
      if (factor && !place.is_place_wanted(i)) {
        place.add({.changes = {{Change::Form::expression, {i, i + 1}, "1"}},
                   .line = code[i].line,
                   .edits = {*factor}});
      } else {
        place.add_expression({i, i + 1}, std::to_string(other));
      }
    }
  }
}

}  // namespace tilewise::grading
