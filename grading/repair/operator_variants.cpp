// Variants of operators and of their operands.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::TokenKind;

bool ends_operand(const Token& token) {
  static constexpr auto no_operands = std::to_array<std::string_view>(
      {"return", "const", "int", "float", "double", "unsigned", "char", "void", "auto", "case"});
  return (token.is_name() && std::ranges::find(no_operands, token.text) == no_operands.end()) ||
         token.kind == TokenKind::number || token.is(")") || token.is("]");
}

bool rounds_up(const std::vector<Token>& code, std::size_t number) {
  return code[number].is("1") && code[number - 1].is("-") && code[number + 1].is(")") &&
         code[number + 2].is("/");
}

namespace {

/// The operand that ends in front of a token. Empty if there is none.
Part operand_before(const Place& place, std::size_t end) {
  const std::vector<Token>& code = place.code();
  std::size_t first = end - 1;
  while (code[first].is("]")) first = place.outline().partner(first).value_or(1) - 1;
  if (code[first].is(")")) first = place.outline().partner(first).value_or(first);
  if (code[first].is("(") && code[first - 1].is_name() && !code[first - 1].is("return")) --first;
  while (first > 1 && (code[first - 1].is(".") || code[first - 1].is("::"))) first -= 2;
  const bool is_operand =
      code[first].is_name() || code[first].kind == TokenKind::number || code[first].is("(");
  return {is_operand ? first : end, end};
}

}  // namespace

Part operand_at(const Place& place, std::size_t first) {
  const std::vector<Token>& code = place.code();
  std::size_t end = first + 1;
  if (code[first].is("(")) end = place.outline().behind(first);
  if (code[first].is_name()) {
    while ((code[end].is(".") || code[end].is("::")) && code[end + 1].is_name()) end += 2;
    while (code[end].is("(") || code[end].is("[")) end = place.outline().behind(end);
  }
  const bool is_operand =
      code[first].is_name() || code[first].kind == TokenKind::number || code[first].is("(");
  return {first, is_operand ? end : first};
}

namespace {

/// Whether tokens use only integers, as far as is known, so that a division may leave a remainder.
bool is_of_integers(const Place& place, Part words) {
  for (std::size_t i = words.first; i < words.end; ++i) {
    const Variable* variable = place.scope().find(i);
    if (variable == nullptr) continue;
    if (variable->type == Variable::Type::real || variable->type == Variable::Type::array ||
        variable->type == Variable::Type::pointer) {
      return false;
    }
  }
  return true;
}

/// The product, or single operand, that ends in front of a token or, in product_at(), begins at it.
Part product_before(const Place& place, std::size_t end) {
  Part product = operand_before(place, end);
  while (product.first < product.end && place.code()[product.first - 1].is("*")) {
    const Part factor = operand_before(place, product.first - 1);
    if (factor.first == factor.end) break;
    product.first = factor.first;
  }
  return product;
}

Part product_at(const Place& place, std::size_t first) {
  Part product = operand_at(place, first);
  while (product.first < product.end && place.code()[product.end].is("*")) {
    const Part factor = operand_at(place, product.end + 1);
    if (factor.first == factor.end) break;
    product.end = factor.end;
  }
  return product;
}

void vary_division(Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  const Part left = product_before(place, i), right = operand_at(place, i + 1);
  if (left.first == left.end || right.first == right.end) return;
  if (!is_of_integers(place, {left.first, right.end})) return;
  const Token& before = code[left.first - 1];
  if (before.is("*") || before.is("/") || before.is("%")) return;
  const Part whole{left.first, right.end};
  const std::string a = place.words_of(left), b = place.words_of(right);
  const bool is_compared = code[right.end].is("==") || code[right.end].is("!=");
  if (code[i].is("%") && is_compared) return;  // for a quotient the comparison would never hold
  for (const std::string& other : constants_like(place, right)) {
    place.add_expression(whole, a + (code[i].is("%") ? " / " : " % ") + other, 2, 1);
  }
  if (code[i].is("%")) return place.add_expression(whole, a + " / " + b);
  place.add_expression(whole, a + " % " + b);
  // The end of the whole steps may be meant, rather than their number.
  if (!code[right.end].is("*")) place.add_expression(whole, a + " / " + b + " * " + b, 2);
  // A dividend that rounds up by the wrong side must not be rounded up again.
  const bool is_rounded = a.ends_with(" - 1)") && a.find(" + ") != a.npos;
  if (!is_rounded) place.add_expression(whole, "(" + a + " + " + b + " - 1) / " + b);
  const std::string rounding = " + " + b + " - 1)";
  if (a.ends_with(rounding)) {
    place.add_expression(whole, a.substr(1, a.size() - 1 - rounding.size()) + " / " + b);
  }
}

bool is_among(const Token& token, std::initializer_list<std::string_view> signs) {
  return std::ranges::find(signs, token.text) != signs.end();
}

/// Writes `i + 3 * all < count` for `i < count - 3 * all`: an unsigned difference is never below 0.
void vary_difference(Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  const Part left = product_before(place, i), from = product_at(place, i + 1);
  const bool is_difference =
      left.first < left.end && from.first < from.end && code[from.end].is("-");
  if (!is_difference || !(code[i].is("<") || code[i].is("<="))) return;
  const Part less = product_at(place, from.end + 1);
  const bool is_whole = less.first < less.end &&
                        is_among(code[left.first - 1], {"(", ";", "&&", "||", "=", "return"}) &&
                        is_among(code[less.end], {")", ";", "&&", "||", "?"});
  if (!is_whole || !is_of_integers(place, {left.first, less.end})) return;
  place.add_expression({left.first, less.end}, place.words_of(left) + " + " + place.words_of(less) +
                                                   " " + std::string(code[i].text) + " " +
                                                   place.words_of(from));
}

/// Writes `m <= warp` for `m < 2 * warp`: what is too small to be divided may be compared with
/// twice as much.
void vary_multiple(Place& place, std::size_t less) {
  static constexpr auto ends = std::to_array<std::string_view>({")", ";", "&&", "||", "?"});
  const Part first = operand_at(place, less + 1);
  if (first.first == first.end || !place.code()[first.end].is("*")) return;
  const Part second = operand_at(place, first.end + 1);
  if (second.first == second.end ||
      std::ranges::find(ends, place.code()[second.end].text) == ends.end()) {
    return;
  }
  for (const Part& factor : {first, second}) {
    if (whole_number(place.code()[factor.first])) continue;
    const std::string text = place.words_of(factor);
    place.add({.changes = {{Change::Form::expression, {first.first, second.end}, text + " + 1"}},
               .line = place.code()[less].line,
               .edits = {{{less, second.end}, "<= " + text}},
               .cost = 3});
  }
}

/// Makes a comparison hold for one more value, or for one less: `@` is 1 in that variant.
void vary_comparison(Place& place, std::size_t i) {
  struct Other {
    std::string_view given, other;
    const char* before_operand;
  };
  static constexpr Other others[] = {
      {"<", "<=", "@ +"}, {"<=", "<", "-@ +"}, {">", ">=", "-@ +"}, {">=", ">", "@ +"}};
  for (const Other& each : others) {
    if (place.code()[i].text != each.given) continue;
    place.add({.changes = {{Change::Form::operand, {i + 1, i + 1}, each.before_operand}},
               .line = place.code()[i].line,
               .edits = {{{i, i + 1}, std::string(each.other)}}});
  }
  if (place.code()[i].is("<") || place.code()[i].is(">=")) {
    for (const Variable* addend : place.scope().seen_at(i)) {
      if (addend->type != Variable::Type::integer || addend->is_parameter) continue;
      const std::string name(addend->name);
      place.add({.changes = {{Change::Form::operand, {i + 1, i + 1}, "-@ * " + name + " +"}},
                 .line = place.code()[i].line,
                 .edits = {{{i, i + 1}, "+ " + name + " " + std::string(place.code()[i].text)}},
                 .cost = 3});
    }
  }
  // The bound may have to be one less, for stages that are filled before a loop or pairs of
  // columns.
  const Part bound = operand_at(place, i + 1);
  static constexpr auto ends = std::to_array<std::string_view>({")", ";", "&&", "||", "?"});
  const bool is_whole = bound.first < bound.end &&
                        std::ranges::find(ends, place.code()[bound.end].text) != ends.end();
  if (!place.code()[i].is("<") || !is_whole) return;
  place.add({.changes = {{Change::Form::operand, {i + 1, i + 1}, "-@ +"}},
             .line = place.code()[i].line,
             .edits = {{bound, place.words_of(bound) + " - 1"}},
             .cost = 2});
}

/// Whether the tokens of a sum are one value: no operator beside them multiplies or subtracts only
/// its first or last term. An exchange puts a sum in parentheses, and would change such a value.
bool is_whole_sum(const Place& place, Part sum) {
  const std::vector<Token>& code = place.code();
  return !is_among(code[sum.first - 1], {"*", "/", "%", "-"}) &&
         !is_among(code[sum.end], {"*", "/", "%"});
}

/// Moves an addend further in: `As[ty + half]` for `As[ty] + half`, `min(row + half, n)` for
/// `min(row, n) + half`.
void vary_addend(Place& place, Part left, Part addend) {
  const std::vector<Token>& code = place.code();
  if (left.first == left.end || addend.first == addend.end) return;
  if (!is_whole_sum(place, {left.first, addend.end})) return;
  const std::string more = " + " + place.words_of(addend);
  const std::size_t close = left.end - 1;
  if (code[close].is("]")) {
    place.add_expression({left.first, addend.end}, place.words_of({left.first, close}) + more + "]",
                         2, 1);
  }
  const bool limits = code[left.first].is("min") || code[left.first].is("max");
  if (!limits || !code[left.first + 1].is("(")) return;
  const auto parts = place.outline().parts_between(left.first + 1, close);
  if (parts.size() != 2) return;
  place.add_expression(
      {left.first, addend.end},
      place.words_of({left.first, parts[0].end}) + more + place.words_of({parts[0].end, left.end}),
      2);
}

/// Writes `n - (k0 + k)` for `n - k0`: what is left of a row may count from a thread's own element.
void vary_what_is_left(Place& place, Part subtracted) {
  constexpr std::size_t most_others = 8;
  if (subtracted.end != subtracted.first + 1 || !place.code()[subtracted.first].is_name()) return;
  const std::string from(place.code()[subtracted.first].text);
  std::size_t others = 0;
  for (const Variable* other : place.scope().seen_at(subtracted.first)) {
    const bool is_one = other->type == Variable::Type::integer && !other->is_evaluated;
    if (!is_one || other->name == from || others++ == most_others) continue;
    place.add_expression(subtracted, "(" + from + " + " + std::string(other->name) + ")", 3, 1);
  }
}

void vary_sum(Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  const bool is_plus = code[i].is("+");
  const Part left = operand_before(place, i), right = operand_at(place, i + 1);
  place.add({.changes = {{Change::Form::operand, {i + 1, i + 1}, "(1 - 2 * @) *"}},
             .line = code[i].line,
             .edits = {{{i, i + 1}, is_plus ? "-" : "+"}}});
  // The index of the last element is one less than their number.
  if (!is_plus && left.first < left.end && right.first < right.end &&
      is_whole_sum(place, {left.first, right.end})) {
    place.add_expression({left.first, right.end},
                         place.words_of(left) + " - 1 - " + place.words_of(right));
  }
  if (is_plus) vary_addend(place, left, product_at(place, i + 1));
  if (!is_plus) vary_what_is_left(place, right);
  if (left.first == left.end || right.first == right.end) return;
  if (!is_whole_sum(place, {left.first, right.end})) return;
  place.add_expression({left.first, right.end}, place.words_of(left), 2);
  place.add_expression({left.first, right.end}, place.words_of(right), 2);
}

void vary_product(Place& place, std::size_t i) {
  const Part left = operand_before(place, i), right = operand_at(place, i + 1);
  const Token& before = place.code()[left.first - 1];
  if (left.first == left.end || right.first == right.end || before.is("/") || before.is("%"))
    return;
  place.add_expression({left.first, right.end}, place.words_of(left));
}

/// Whether tokens are a sum in parentheses: `(a + b)`.
bool is_sum_in_brackets(const Place& place, Part words) {
  const std::vector<Token>& code = place.code();
  if (words.first >= words.end || !code[words.first].is("(") || ends_operand(code[words.first - 1]))
    return false;
  for (std::size_t i = words.first + 2; i + 1 < words.end; i = place.outline().behind(i)) {
    if (is_among(code[i], {"+", "-"}) && ends_operand(code[i - 1])) return true;
    if (is_among(code[i], {"?", ","})) return false;
  }
  return false;
}

/// Removes the parentheses of a sum in a product, which may not be meant: `alpha * (x + beta * y)`.
void vary_brackets(Place& place, std::size_t i) {
  const Part left = product_before(place, i), right = operand_at(place, i + 1);
  if (left.first == left.end || right.first == right.end) return;
  if (!is_whole_sum(place, {left.first, right.end})) return;
  const auto opened = [&](Part sum) { return place.words_of({sum.first + 1, sum.end - 1}); };
  const std::string a = place.words_of(left), b = place.words_of(right);
  if (is_sum_in_brackets(place, right)) {
    place.add_expression({left.first, right.end}, a + " * " + opened(right));
  }
  if (is_sum_in_brackets(place, left)) {
    place.add_expression({left.first, right.end}, opened(left) + " * " + b);
  }
}

/// Writes `(n + side - 1) / side` for `n + side - 1 / side`.
void vary_quotient_of_sum(Place& place, std::size_t i) {
  const std::vector<Token>& code = place.code();
  Part sum = product_before(place, i);
  const Part by = operand_at(place, i + 1);
  if (sum.first == sum.end || by.first == by.end) return;
  std::size_t first = sum.first;
  while (is_among(code[first - 1], {"+", "-"}) && ends_operand(code[first - 2])) {
    const Part before = product_before(place, first - 1);
    if (before.first == before.end) return;
    first = before.first;
  }
  if (first == sum.first || !is_whole_sum(place, {first, by.end})) return;
  place.add_expression({first, by.end},
                       "(" + place.words_of({first, sum.end}) + ") / " + place.words_of(by));
}

/// Writes `(t & 31) * 4` for `t & 31 * 4`, or `(n & 3) == 0` for `n & 3 == 0`: `*`, `+` and `==`
/// bind more tightly than `&`.
void vary_precedence(Place& place, std::size_t i) {
  const Part left = operand_before(place, i), mask = operand_at(place, i + 1);
  if (left.first == left.end || mask.first == mask.end) return;
  const std::vector<Token>& code = place.code();
  const bool is_bound = is_among(code[mask.end], {"*", "/", "%", "+", "-", "==", "!="});
  const Part rest = is_bound ? operand_at(place, mask.end + 1) : Part{mask.end, mask.end};
  const bool is_whole = is_among(code[left.first - 1], {"=", "(", "[", ",", "return"}) &&
                        is_among(code[rest.end], {")", "]", ",", ";", "&&", "||", "?"});
  if (rest.first == rest.end || !is_whole) return;
  place.add_expression({left.first, rest.end}, "(" + place.words_of({left.first, mask.end}) + ") " +
                                                   place.words_of({mask.end, rest.end}));
}

/// Writes `0xffffffffu` for `0xffffffffu << first`: all lanes may come to where the mask is used.
void vary_mask(Place& place, std::size_t number) {
  const std::vector<Token>& code = place.code();
  std::string digits(code[number].text);
  std::ranges::transform(digits, digits.begin(),
                         [](unsigned char c) { return char(std::tolower(c)); });
  const bool is_of_all = digits.starts_with("0xffffffff");
  const Token &sign = code[number + 1], &again = code[number + 2];
  const bool is_right = sign.is(">") && again.is(">") && sign.end() == again.begin;
  if (!is_of_all || (!sign.is("<<") && !is_right)) return;
  const Part operand = operand_at(place, number + (is_right ? 3 : 2));
  if (operand.first == operand.end) return;
  place.add_expression({number, operand.end}, std::string(code[number].text), 1);
}

}  // namespace

void vary_bounds(Place& place) {
  static constexpr auto ends = std::to_array<std::string_view>({")", ";", ",", "&&", "||", "?"});
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const Part words = statement->words;
    if (!code[words.first].is("for") && !code[words.first].is("while")) continue;
    const std::size_t open = words.first + 1;
    for (std::size_t i = open; i < place.outline().behind(open); ++i) {
      if (!code[i].is("<") || !place.may_vary(i) || !place.may_vary(i + 1)) continue;
      std::size_t end = i + 1;
      while (end < words.end && std::ranges::find(ends, code[end].text) == ends.end()) {
        end = place.outline().behind(end);
      }
      // Single names and numbers are exchanged wherever they stand.
      if (end <= i + 2) continue;
      for (const Variable& size : place.scope().variables()) {
        if (!size.is_parameter || size.type != Variable::Type::integer) continue;
        place.add_expression({i + 1, end}, std::string(size.name));
      }
    }
  }
}

void vary_operators(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 2; i + 1 < place.function().end; ++i) {
    if (code[i].kind == simt::rewriting::TokenKind::number && place.may_vary(i))
      vary_mask(place, i);
    if (!place.may_vary(i) || !place.may_vary(i + 1) || !ends_operand(code[i - 1])) continue;
    if (code[i + 1].is("=") || code[i + 1].text == code[i].text) continue;
    if (rounds_up(code, i + 1)) continue;
    // A shift consists of several tokens, which are no comparisons.
    if (code[i + 1].text.front() == code[i].text.front() && code[i + 1].begin == code[i].end())
      continue;
    if (code[i - 1].text == code[i].text.substr(0, 1) && code[i - 1].end() == code[i].begin)
      continue;
    if (code[i].is("<") || code[i].is("<=") || code[i].is(">") || code[i].is(">=")) {
      vary_comparison(place, i);
      if (code[i].is("<")) vary_multiple(place, i);
      vary_difference(place, i);
    } else if (code[i].is("+") || code[i].is("-")) {
      vary_sum(place, i);
    } else if (code[i].is("*")) {
      vary_product(place, i);
      vary_brackets(place, i);
    } else if (code[i].is("/") || code[i].is("%")) {
      vary_division(place, i);
      if (code[i].is("/")) vary_quotient_of_sum(place, i);
    } else if (code[i].is("&")) {
      vary_precedence(place, i);
    }
  }
}

}  // namespace tilewise::grading
