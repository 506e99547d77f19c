#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;
using rewriting::TokenKind;

template <class Words>
bool is_one_of(const Token& token, const Words& words) {
  return std::ranges::find(words, token.text) != words.end();
}

enum class Type { unknown, whole, real, deduced };

/// The type that a declaration gives the name at a token; unknown where none is declared there.
Type type_declared_at(const Outline& outline, std::size_t name) {
  static constexpr auto whole = std::to_array<std::string_view>(
      {"int", "unsigned", "long", "short", "size_t", "uint32_t", "int32_t", "uint64_t"});
  static constexpr auto real = std::to_array<std::string_view>({"float", "double"});
  const std::vector<Token>& code = outline.code();
  std::size_t before = name - 1;
  while (before > 1 && code[before].is(",") && code[before - 1].is_name()) before -= 2;
  while (before > 0 && code[before].is("&")) --before;
  if (is_one_of(code[before], whole)) return Type::whole;
  if (code[before].is("auto")) return Type::deduced;
  return is_one_of(code[before], real) ? Type::real : Type::unknown;
}

/// The type that the nearest declaration before a token gives its name.
Type type_of(const Outline& outline, std::size_t at) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = at; i-- > 1;) {
    if (code[i].text != code[at].text) continue;
    const Type type = type_declared_at(outline, i);
    if (type != Type::unknown) return type;
  }
  return Type::unknown;
}

/// Whether all declarations of a name in the source make it a whole number. A member may be
/// declared behind its use.
bool is_whole_everywhere(const Outline& outline, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  bool is_whole = false;
  for (std::size_t i = 1; i < code.size(); ++i) {
    if (!code[i].is(name)) continue;
    const Type type = type_declared_at(outline, i);
    if (type == Type::real || type == Type::deduced) return false;
    is_whole |= type == Type::whole;
  }
  return is_whole;
}

/// Looks for `1 / c.rx` of a whole number, which is 0.
void look_for_lost_quotient(const Outline& outline, std::size_t slash,
                            std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const Token& before = code[slash - 2];
  const bool is_whole_product = before.is("*") || before.is("/") || before.is("%");
  if (!code[slash].is("/") || !code[slash - 1].is("1") || is_whole_product) return;
  std::size_t last = slash + 1;
  while (last + 2 < code.size() && (code[last + 1].is(".") || code[last + 1].is("->"))) last += 2;
  const bool is_variable = code[last].is_name() && !code[last + 1].is("(") &&
                           !code[last + 1].is("[") && !code[last + 1].is("::");
  if (!is_variable || !is_whole_everywhere(outline, code[last].text)) return;
  std::string divisor;
  for (std::size_t i = slash + 1; i <= last; ++i) divisor += code[i].text;
  // `n + side - 1 / side` lacks the brackets of a quotient that is rounded up.
  const bool rounds_up = before.is("-") && slash > 5 && code[slash - 3].text == divisor &&
                         code[slash - 4].is("+") && code[slash - 5].is_name();
  if (rounds_up) {
    remarks.push_back({Remark::Kind::statement, code[slash].line,
                       tr("{0} + {1} - 1 / {1} is {0} + {1}, since / comes first and 1 / {1} of "
                          "whole numbers is 0",
                          code[slash - 5].text, divisor),
                       tr("Write ({0} + {1} - 1) / {1}.", code[slash - 5].text, divisor)});
    return;
  }
  remarks.push_back({Remark::Kind::doubt, code[slash].line,
                     tr("1 / {0} is a quotient of whole numbers, and 0 for every {0} above 1, "
                        "whatever it is stored in",
                        divisor),
                     tr("Write 1.0 / {} where the fraction is meant.", divisor)});
}

constexpr auto takers_of_bits =
    std::to_array<std::string_view>({"__float_as_uint", "__float_as_int", "to_tf32"});

/// Whether a variable is set, before a token, from the bits of a float.
bool holds_bits(const Outline& outline, std::size_t at) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = at; i-- > 1;) {
    if (!code[i].is(code[at].text) || !code[i + 1].is("=")) continue;
    for (std::size_t j = i + 2; j < at && !code[j].is(";"); ++j) {
      if (is_one_of(code[j], takers_of_bits)) return true;
    }
    return false;
  }
  return false;
}

/// Looks for `x - bits` where `bits` holds the bits of a float, and `x` is one.
void look_for_bits_as_number(const Outline& outline, std::size_t sign,
                             std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const Token& behind = code[sign + 2];
  const bool is_sign = code[sign].is("-") || code[sign].is("+") || code[sign].is("*");
  const bool is_of_names = code[sign - 1].is_name() && code[sign + 1].is_name() &&
                           !behind.is("(") && !behind.is("[") && !behind.is(".");
  if (!is_sign || !is_of_names) return;
  for (const auto& [bits, number] :
       {std::pair(sign - 1, sign + 1), std::pair(sign + 1, sign - 1)}) {
    const Type other = type_of(outline, number);
    const bool are_mixed =
        type_of(outline, bits) == Type::whole && (other == Type::real || other == Type::deduced);
    if (!are_mixed || !holds_bits(outline, bits)) continue;
    remarks.push_back(
        {Remark::Kind::doubt, code[sign].line,
         tr("{0} holds the bits of a float, and {1} {2} {3} takes them for a whole number, some "
            "1,000,000,000 for a float near 1",
            code[bits].text, code[sign - 1].text, code[sign].text, code[sign + 1].text),
         tr("Write __uint_as_float({}), which is the float that has these bits.",
            code[bits].text)});
  }
}

constexpr auto without_sign = std::to_array<std::string_view>(
    {"unsigned", "size_t", "uint32_t", "uint64_t", "uint16_t", "uint8_t"});

/// Whether the nearest declaration of a name before a token makes it unsigned.
bool is_unsigned_there(const Outline& outline, std::size_t at, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = at; i-- > 2;) {
    if (code[i].text != name) continue;
    const std::size_t last = code[i - 1].is("&") ? i - 2 : i - 1;
    const bool is_long = last > 0 && (code[last].is("int") || code[last].is("long"));
    const Token& before = code[is_long && code[last - 1].is("unsigned") ? last - 1 : last];
    if (std::ranges::find(without_sign, before.text) != without_sign.end()) return true;
    if (before.kind == TokenKind::identifier && !before.is("return")) return false;
  }
  return false;
}

/// Looks for `if (cols - col > 0)` where one of the two is unsigned: the difference is never below
/// 0.
void look_for_difference_without_sign(const Outline& outline, std::size_t minus,
                                      std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const Token &left = code[minus - 1], &right = code[minus + 1];
  const bool begins = code[minus - 2].is("(") || code[minus - 2].is("&&") ||
                      code[minus - 2].is("||") || code[minus - 2].is("!");
  const bool is_of_names =
      left.kind == TokenKind::identifier && right.kind == TokenKind::identifier;
  if (!code[minus].is("-") || !begins || !is_of_names) return;
  // `>=` may be one token or two.
  const bool joined = code[minus + 2].is(">=");
  const bool parted = code[minus + 2].is(">") && code[minus + 3].is("=");
  const bool or_equal = joined || parted;
  if (!or_equal && !code[minus + 2].is(">")) return;
  if (!code[minus + (parted ? 4 : 3)].is("0")) return;
  const Token* unsigned_one = nullptr;
  for (const Token* one : {&right, &left}) {
    if (is_unsigned_there(outline, minus - 2, one->text)) unsigned_one = one;
  }
  if (unsigned_one == nullptr) return;
  remarks.push_back(
      {Remark::Kind::doubt, left.line,
       tr("{0} has no sign, and so {1} - {2} has none and is never below 0: where {2} is "
          "larger, it is some 4,000,000,000",
          unsigned_one->text, left.text, right.text),
       tr("Compare the two themselves: {} {} {}.", right.text, or_equal ? "<=" : "<", left.text)});
}

/// Looks for `for (unsigned k = n - 1; k >= 0; --k)`.
void look_for_endless_countdown(const Outline& outline, std::size_t word,
                                std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto close = code[word + 1].is("(") ? outline.partner(word + 1) : std::nullopt;
  if (!close) return;
  std::size_t name = word + 2;
  bool is_unsigned = false;
  for (; name < *close && !code[name].is("=") && !code[name].is(";"); ++name) {
    is_unsigned |= std::ranges::find(without_sign, code[name].text) != without_sign.end();
  }
  if (!is_unsigned || name >= *close || !code[name].is("=")) return;
  const Token& counter = code[name - 1];
  while (name < *close && !code[name].is(";")) ++name;
  // `>=` may be one token or two.
  if (name + 4 >= *close || code[name + 1].text != counter.text) return;
  const bool joined = code[name + 2].is(">=");
  const bool parted = code[name + 2].is(">") && code[name + 3].is("=");
  const std::size_t bound = name + (joined ? 3 : 4);
  if ((!joined && !parted) || !code[bound].is("0") || !code[bound + 1].is(";")) return;
  remarks.push_back({Remark::Kind::statement, counter.line,
                     tr("{0} has no sign and so is never below 0: the loop goes on for ever while "
                        "{0} >= 0",
                        counter.text),
                     tr("Declare {} as an int.", counter.text)});
}

/// Looks for `i < count - 3 * all` where `count` has no sign.
void look_for_bound_without_sign(const Outline& outline, std::size_t sign,
                                 std::vector<Remark>& remarks) {
  static constexpr auto ends = std::to_array<std::string_view>({")", ";", "&&", "||", "?"});
  static constexpr auto starts =
      std::to_array<std::string_view>({"(", ";", "&&", "||", "=", "return"});
  const std::vector<Token>& code = outline.code();
  const bool is_comparison = code[sign].is("<") && code[sign - 1].is_name() &&
                             is_one_of(code[sign - 2], starts) && code[sign + 1].is_name() &&
                             code[sign + 2].is("-");
  if (!is_comparison) return;
  std::size_t end = sign + 3;
  while (end < code.size() && !is_one_of(code[end], ends)) end = outline.behind(end);
  // What a number is taken from is seldom smaller than that.
  const bool is_of_numbers = end == sign + 4 && code[sign + 3].kind == TokenKind::number;
  if (end >= code.size() || is_of_numbers || !is_unsigned_there(outline, sign, code[sign + 1].text))
    return;
  const std::string_view counter = code[sign - 1].text, from = code[sign + 1].text;
  const std::string less = rewriting::joined(std::span(code).subspan(sign + 3, end - sign - 3));
  remarks.push_back(
      {Remark::Kind::doubt, code[sign].line,
       tr("{0} has no sign: where {1} is more, {0} - {1} is no number below 0 but one "
          "near the largest that there is, and {2} < {0} - {1} holds for any {2}",
          from, less, counter),
       tr("Write {2} + {1} < {0}.", from, less, counter)});
}

/// Looks for `unsigned small = rest;` with a float, beside code that takes the bits of floats.
void look_for_number_as_bits(const Outline& outline, std::size_t sign,
                             std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_assignment = code[sign].is("=") && code[sign - 1].is_name() &&
                             code[sign + 1].is_name() && code[sign + 2].is(";");
  const bool takes_bits = is_assignment && std::ranges::any_of(code, [](const Token& token) {
                            return is_one_of(token, takers_of_bits);
                          });
  if (!takes_bits || !is_unsigned_there(outline, sign, code[sign - 1].text)) return;
  if (type_of(outline, sign + 1) != Type::real) return;
  remarks.push_back(
      {Remark::Kind::doubt, code[sign].line,
       tr("{0} is a whole number: {0} = {1} drops what the float {1} has behind its "
          "point, and leaves 0 of a number below 1",
          code[sign - 1].text, code[sign + 1].text),
       tr("Write __float_as_uint({}), which are the bits of the float, where these are "
          "meant.",
          code[sign + 1].text)});
}

/// Whether the nearest declaration of a name before a token makes it an int.
bool is_int_there(const Outline& outline, std::size_t at, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = at; i-- > 2;) {
    const Token& before = code[i - 1];
    if (code[i].text != name || !(before.is_name() || before.is(",")) || before.is("return")) {
      continue;
    }
    return before.is("int") && !code[i - 2].is("long") && !code[i - 2].is("unsigned");
  }
  return false;
}

/// Looks for `const double flop = 2 * n * n * n;`, which is right for small n alone.
/// @return whether a name stands three times in a product there
bool look_for_cube(const Outline& outline, std::size_t first, std::vector<Remark>& remarks) {
  static constexpr auto joins =
      std::to_array<std::string_view>({"*", "/", "%", ".", "->", "::", ")"});
  const std::vector<Token>& code = outline.code();
  if (is_one_of(code[first - 1], joins)) return false;
  double factor = 1;
  std::size_t last = first, powers = 0;
  std::string_view name;
  for (;; last += 2) {
    const bool is_whole = code[last].kind == TokenKind::number &&
                          code[last].text.find_first_not_of("0123456789") == std::string_view::npos;
    if (is_whole) {
      factor *= std::stod(std::string(code[last].text.substr(0, 9)));
    } else if (code[last].is_name() && (name.empty() || code[last].is(name))) {
      name = code[last].text;
      ++powers;
    } else {
      return false;
    }
    if (!code[last + 1].is("*") || last + 3 >= code.size()) break;
  }
  const Token& behind = code[last + 1];
  const bool ends = behind.is(";") || behind.is(")") || behind.is(",") || behind.is("/");
  if (powers < 3 || !ends) return false;
  if (!is_int_there(outline, first, name)) return true;
  constexpr double largest = 2147483647;
  const double from =
      std::floor(std::pow(largest / std::max(factor, 1.0), 1.0 / double(powers))) + 1;
  const std::string product = rewriting::joined(std::span(code).subspan(first, last + 1 - first));
  const bool begins_with_number = code[first].kind == TokenKind::number;
  const std::string widened = begins_with_number ? std::string(code[first].text) + ".0" +
                                                       product.substr(code[first].text.size())
                                                 : "1.0 * " + product;
  remarks.push_back(
      {Remark::Kind::statement, code[first].line,
       tr("{0} is computed as an int, whatever takes it, and that overflows from {1} = {2} on",
          product, name, std::int64_t(from)),
       tr("Compute with doubles from the first factor on: {}.", widened)});
  return true;
}

/// Looks for `int at(int row, int ld, int col) { return row * ld + col; }` where a matrix is
/// indexed by it.
void look_for_int_offset(const Outline& outline, const rewriting::WrittenFunction& function,
                         std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const std::size_t name = function.parameters - 1, first = function.body + 2;
  const bool returns_int = code[name - 1].is("int") && !code[name - 2].is("long");
  if (!returns_int || !code[first - 1].is("return")) return;
  const bool is_product =
      code[first].is_name() && code[first + 1].is("*") && code[first + 2].is_name();
  const bool is_offset =
      is_product && code[first + 3].is("+") && code[first + 4].is_name() && code[first + 5].is(";");
  if (!is_offset || !is_int_there(outline, first, code[first].text) ||
      !is_int_there(outline, first, code[first + 2].text)) {
    return;
  }
  for (std::size_t i = 1; i + 1 < code.size(); ++i) {
    const bool indexes = code[i].is(function.name) && code[i - 1].is("[") && code[i + 1].is("(");
    if (!indexes) continue;
    remarks.push_back(
        {Remark::Kind::overflow, code[first].line,
         tr("{0} * {1} is an int, and so at most 2,147,483,647: it overflows where a matrix has "
            "more elements; let {2}() return a std::size_t, and write std::size_t({0}) * {1}",
            code[first].text, code[first + 2].text, function.name)});
    return;
  }
}

}  // namespace

void remark_on_numbers(const Outline& outline, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  for (const rewriting::WrittenFunction& function : rewriting::functions_of(outline)) {
    if (function.is_of_device && function.body + 8 <= function.end) {
      look_for_int_offset(outline, function, remarks);
    }
  }
  constexpr int most_cubes = 100;  // for each, the source before it is searched
  int cubes = 0;
  for (std::size_t i = 2; i + 2 < code.size(); ++i) {
    look_for_lost_quotient(outline, i, remarks);
    look_for_bits_as_number(outline, i, remarks);
    if (code[i].is("for")) look_for_endless_countdown(outline, i, remarks);
    if (i + 4 < code.size()) look_for_difference_without_sign(outline, i, remarks);
    look_for_bound_without_sign(outline, i, remarks);
    look_for_number_as_bits(outline, i, remarks);
    if (cubes < most_cubes && look_for_cube(outline, i, remarks)) ++cubes;
  }
}

}  // namespace tilewise::simt
