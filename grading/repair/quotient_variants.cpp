// Variants of quotients and remainders, by which threads find their places: `lane / 8 % 2`.
#include <string>
#include <utility>
#include <vector>

#include "grading/repair/variant.hpp"

namespace tilewise::grading {

namespace {

bool divides(const Token& token) { return token.is("/") || token.is("%"); }

/// The beginnings of a chain of quotients and remainders, the shortest first: `lane / 8` and
/// `lane / 8 % 2` of `lane / 8 % 2 * 4`. Empty if no chain begins at a token.
std::vector<Part> quotients_at(const Place& place, std::size_t first) {
  const std::vector<Token>& code = place.code();
  const Token& before = code[first - 1];
  const Variable* const variable = is_read(place, first) ? place.scope().find(first) : nullptr;
  const bool is_number = variable != nullptr && variable->type == Variable::Type::integer;
  std::vector<Part> found;
  if (!is_number || divides(before) || before.is("*") || !place.may_vary(first)) return found;
  for (std::size_t end = first + 1; divides(code[end]) && !code[end + 1].is("=");) {
    const Part by = operand_at(place, end + 1);
    if (by.first == by.end) break;
    end = by.end;
    found.push_back({first, end});
  }
  return found;
}

using Pair = std::pair<Part, Part>;

/// The quotients and remainders among some tokens that are taken of the same variable, in pairs
/// that differ.
std::vector<Pair> pairs_of_quotients(const Place& place, Part words) {
  std::vector<Part> all;
  for (std::size_t i = words.first; i < words.end; ++i) {
    for (const Part each : quotients_at(place, i)) all.push_back(each);
  }
  std::vector<Pair> found;
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      const bool overlap = all[a].first == all[b].first;
      const bool are_alike = place.code()[all[a].first].text == place.code()[all[b].first].text;
      if (overlap || !are_alike || place.words_of(all[a]) == place.words_of(all[b])) continue;
      found.emplace_back(all[a], all[b]);
    }
  }
  return found;
}

void reword_both(Place& place, const Pair& pair, const std::string& first,
                 const std::string& second) {
  place.add({.changes = {{Change::Form::expression, pair.first, first},
                         {Change::Form::expression, pair.second, second}},
             .line = place.code()[pair.first.first].line,
             .edits = {{pair.first, first}, {pair.second, second}},
             .cost = 2,
             .daring = 1});
}

/// Whether two quotients are `at / rows` and `at % rows`.
bool divide_alike(const Place& place, const Pair& pair) {
  const std::vector<Token>& code = place.code();
  const auto divisor_of = [&](Part quotient) {
    return place.words_of({quotient.first + 2, quotient.end});
  };
  const auto sign_of = [&](Part quotient) { return code[quotient.first + 1].text; };
  return divisor_of(pair.first) == divisor_of(pair.second) &&
         sign_of(pair.first) != sign_of(pair.second);
}

/// Gives `at / rows` and `at % rows` another divisor, as they are and exchanged: a tile's elements
/// are numbered along its rows or down its columns.
void vary_divisors(Place& place, const Pair& pair) {
  const std::vector<Token>& code = place.code();
  const Part by{pair.first.first + 2, pair.first.end};
  const std::string of(code[pair.first.first].text);
  const bool is_literal = whole_number(code[by.first]).has_value();
  for (const std::string& other :
       is_literal ? constants_seen_at(place, by.first) : constants_like(place, by)) {
    const std::string quotient = of + " / " + other, remainder = of + " % " + other;
    reword_both(place, pair, quotient, remainder);
    reword_both(place, pair, remainder, quotient);
  }
}

/// Writes `i / 4 * apart + i % 4` for `i / 4 * apart + i`: the quotient has taken the rest away.
void vary_rests(Place& place, Part words) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = words.first; i < words.end; ++i) {
    const std::vector<Part> quotients = quotients_at(place, i);
    if (quotients.empty() || !code[i + 1].is("/")) continue;
    const std::string by = place.words_of({i + 2, quotients.front().end});
    for (std::size_t k = words.first; k < words.end; ++k) {
      const Token &before = code[k - 1], &behind = code[k + 1];
      const bool is_term = (before.is("+") || before.is("=") || before.is("[") || before.is("(")) &&
                           (behind.is("+") || behind.is(";") || behind.is("]") || behind.is(")"));
      if (code[k].text != code[i].text || !is_term || !is_read(place, k)) continue;
      place.add_expression({k, k + 1}, std::string(code[k].text) + " % " + by);
    }
  }
}

void vary_pair(Place& place, const Pair& pair) {
  // With the divisor that they have, `at / rows` and `at % rows` are exchanged last: that is right
  // for square tiles only.
  if (divide_alike(place, pair)) vary_divisors(place, pair);
  reword_both(place, pair, place.words_of(pair.second), place.words_of(pair.first));
}

}  // namespace

void vary_quotients(Place& place) {
  for (const Statement* statement : with_inner(place.body())) {
    const bool is_simple = statement->kind == Statement::Kind::expression ||
                           statement->kind == Statement::Kind::declaration;
    if (is_simple && statement->inner.empty()) {
      for (const Pair& pair : pairs_of_quotients(place, statement->words)) vary_pair(place, pair);
      vary_rests(place, statement->words);
    }
    for (std::size_t i = 0; i + 1 < statement->inner.size(); ++i) {
      const Statement &a = statement->inner[i], &b = statement->inner[i + 1];
      if (!a.inner.empty() || !b.inner.empty()) continue;
      // Only pairs with one in each: those within a statement are found above.
      for (const Pair& pair : pairs_of_quotients(place, {a.words.first, b.words.end})) {
        if (pair.first.end > a.words.end || pair.second.first < b.words.first) continue;
        vary_pair(place, pair);
      }
    }
  }
}

}  // namespace tilewise::grading
