// Variants of similar code: neighbouring lines of which one was copied from the other and changed,
// and numbers and signs that stand there more than once.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::TokenKind;

namespace {

/// Pairs of neighbouring statements that have no others in them.
std::vector<std::pair<const Statement*, const Statement*>> neighbours(const Place& place) {
  std::vector<std::pair<const Statement*, const Statement*>> found;
  const auto is_simple = [](const Statement& statement) {
    return statement.inner.empty() && (statement.kind == Statement::Kind::expression ||
                                       statement.kind == Statement::Kind::declaration);
  };
  for (const Statement* around : with_inner(place.body())) {
    for (std::size_t i = 0; i + 1 < around->inner.size(); ++i) {
      const Statement &a = around->inner[i], &b = around->inner[i + 1];
      if (is_simple(a) && is_simple(b)) found.emplace_back(&a, &b);
    }
  }
  return found;
}

/// The pairs of tokens in which two statements of the same form differ. Empty if the statements
/// have different forms.
std::vector<std::pair<Part, Part>> differences(const Place& place, Part a, Part b) {
  constexpr std::size_t most = 6;
  const std::vector<Token>& code = place.code();
  std::vector<std::pair<Part, Part>> found;
  if (a.end - a.first != b.end - b.first) return {};
  for (std::size_t i = a.first, k = b.first; i < a.end; ++i, ++k) {
    if (code[i].kind != code[k].kind) return {};
    if (code[i].text == code[k].text) continue;
    const bool is_member = code[i - 1].is(".") && code[k - 1].is(".");
    const bool is_value = code[i].is_name() || code[i].kind == TokenKind::number;
    if (!is_value || found.size() == most) return {};
    const std::size_t before = is_member ? 2 : 0;
    found.push_back({{i - before, i + 1}, {k - before, k + 1}});
  }
  return found;
}

/// Exchanges one of the pairs of tokens in which two lines differ:
/// `a = whole + ty < n ? ...; b = whole + tx < n ? ...;`
void exchange_differences(Place& place, Part a, Part b) {
  const auto all = differences(place, a, b);
  if (all.size() < 2) return;
  for (const auto& [one, other] : all) {
    const bool may_vary = place.may_vary(one.first) && place.may_vary(other.first);
    if (!may_vary || place.is_place_wanted(one.first)) continue;
    // To exchange the targets would be the same as to exchange the values.
    if (one.first == a.first) continue;
    const std::string first = place.words_of(one), second = place.words_of(other);
    place.add({.changes = {{Change::Form::expression, one, second},
                           {Change::Form::expression, other, first}},
               .line = place.code()[one.first].line,
               .edits = {{one, second}, {other, first}},
               .cost = 2,
               .daring = 2});
  }
}

/// The `=` of `sum[0] = a * b;`, or both signs of `+=`; empty if there is none.
Part sign_of(const Place& place, const Statement& statement) {
  const Part words = statement.words;
  if (statement.kind != Statement::Kind::expression) return {words.first, words.first};
  std::size_t equals = words.first;
  while (equals < words.end && !place.code()[equals].is("=")) {
    equals = place.outline().behind(equals);
  }
  if (equals >= words.end || equals == words.first) return {words.first, words.first};
  const bool joins = place.code()[equals - 1].is("+");
  return {joins ? equals - 1 : equals, equals + 1};
}

/// Writes `+=` for `=` in both of two lines, or `=` for `+=`.
void vary_both_signs(Place& place, const Statement& a, const Statement& b) {
  const Part first = sign_of(place, a), second = sign_of(place, b);
  if (first.first == first.end || second.first == second.end) return;
  const std::string given = place.words_of(first);
  if (given != place.words_of(second)) return;
  const char* const other = given == "=" ? "+=" : "=";
  Variant variant{.changes = {}, .line = place.code()[first.first].line, .edits = {}, .cost = 2};
  variant.daring = 2;
  for (const auto& [statement, sign] : {std::pair(&a, first), std::pair(&b, second)}) {
    const Part words = statement->words;
    if (!place.may_vary(words.first)) return;
    variant.changes.push_back({Change::Form::statement, words,
                               place.words_of({words.first, sign.first}) + " " + other + " " +
                                   place.words_of({sign.end, words.end})});
    variant.edits.push_back({sign, other});
  }
  place.add(std::move(variant));
}

/// Replaces a number that stands more than once among some tokens, such as the width in
/// `y = t / 4, x = t % 4`, everywhere by another.
void vary_repeated_numbers(Place& place, Part words) {
  const std::vector<Token>& code = place.code();
  std::set<long> numbers;
  for (std::size_t i = words.first; i < words.end; ++i) {
    if (const auto number = whole_number(code[i]); number && *number > 1) numbers.insert(*number);
  }
  for (const long number : numbers) {
    for (const long other : {2 * number, number / 2}) {
      const std::string text = std::to_string(other);
      Variant variant{.changes = {}, .line = 0, .edits = {}, .cost = 2};
      for (std::size_t i = words.first; i < words.end; ++i) {
        if (whole_number(code[i]) != number || !place.may_vary(i)) continue;
        variant.changes.push_back({Change::Form::expression, {i, i + 1}, text});
        variant.edits.push_back({{i, i + 1}, text});
      }
      if (variant.changes.size() < 2 || other < 1) continue;
      variant.line = code[variant.changes.front().words.first].line;
      place.add(std::move(variant));
    }
  }
}

/// The value of the variable that a statement declares; empty if it declares another number of
/// variables.
Part value_declared_by(const Place& place, const Statement& statement) {
  Part value{0, 0};
  int declared = 0;
  for (const Variable& variable : place.scope().variables()) {
    const bool is_here =
        statement.words.first <= variable.declared && variable.declared < statement.words.end;
    if (!is_here || variable.is_parameter) continue;
    value = variable.value;
    ++declared;
  }
  return declared == 1 ? value : Part{0, 0};
}

/// Repeats the last factor of two neighbouring values, as of two buffers that begin a row apart and
/// should be a tile apart: `t % 2 * Tile * Tile` for `t % 2 * Tile`.
void vary_both_factors(Place& place, const Statement& a, const Statement& b) {
  const std::vector<Token>& code = place.code();
  const Part first = value_declared_by(place, a), second = value_declared_by(place, b);
  const auto ends_in_factor = [&](Part value) {
    return value.end >= value.first + 3 && code[value.end - 2].is("*") &&
           code[value.end - 1].is_name() && place.may_vary(value.end - 1);
  };
  if (!ends_in_factor(first) || !ends_in_factor(second)) return;
  if (code[first.end - 1].text != code[second.end - 1].text) return;
  const std::string factor(code[first.end - 1].text), twice = factor + " * " + factor;
  Variant variant{.changes = {}, .line = code[first.first].line, .edits = {}, .cost = 1};
  for (const Part value : {first, second}) {
    const Part last{value.end - 1, value.end};
    variant.changes.push_back({Change::Form::expression, last, twice});
    variant.edits.push_back({last, twice});
  }
  place.add(std::move(variant));
}

}  // namespace

void vary_alike(Place& place) {
  for (const auto& [a, b] : neighbours(place)) {
    exchange_differences(place, a->words, b->words);
    vary_both_signs(place, *a, *b);
    vary_both_factors(place, *a, *b);
    vary_repeated_numbers(place, {a->words.first, b->words.end});
  }
  for (const Statement* statement : with_inner(place.body())) {
    const bool is_simple = statement->kind == Statement::Kind::expression ||
                           statement->kind == Statement::Kind::declaration;
    if (is_simple && statement->inner.empty()) vary_repeated_numbers(place, statement->words);
  }
}

}  // namespace tilewise::grading
