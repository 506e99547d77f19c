#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
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

enum class Type { unknown, whole, real };

/// The type that a declaration gives the name at a token; unknown where none is declared there.
Type type_declared_at(const Outline& outline, std::size_t name) {
  static constexpr auto whole = std::to_array<std::string_view>(
      {"int", "unsigned", "long", "short", "size_t", "uint32_t", "int32_t", "uint64_t"});
  static constexpr auto real = std::to_array<std::string_view>({"float", "double", "auto"});
  const std::vector<Token>& code = outline.code();
  std::size_t before = name - 1;
  while (before > 1 && code[before].is(",") && code[before - 1].is_name()) before -= 2;
  while (before > 0 && code[before].is("&")) --before;
  if (is_one_of(code[before], whole)) return Type::whole;
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
    if (type == Type::real) return false;
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
  remarks.push_back({Remark::Kind::doubt, code[slash].line,
                     tr("1 / {0} is a quotient of whole numbers, and 0 for every {0} above 1, "
                        "whatever it is stored in",
                        divisor),
                     tr("Write 1.0 / {} where the fraction is meant.", divisor)});
}

/// Whether a variable is set, before a token, from the bits of a float.
bool holds_bits(const Outline& outline, std::size_t at) {
  static constexpr auto sources =
      std::to_array<std::string_view>({"__float_as_uint", "__float_as_int", "to_tf32"});
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = at; i-- > 1;) {
    if (!code[i].is(code[at].text) || !code[i + 1].is("=")) continue;
    for (std::size_t j = i + 2; j < at && !code[j].is(";"); ++j) {
      if (is_one_of(code[j], sources)) return true;
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
    const bool are_mixed =
        type_of(outline, bits) == Type::whole && type_of(outline, number) == Type::real;
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

}  // namespace

void remark_on_numbers(const Outline& outline, std::vector<Remark>& remarks) {
  for (std::size_t i = 2; i + 2 < outline.code().size(); ++i) {
    look_for_lost_quotient(outline, i, remarks);
    look_for_bits_as_number(outline, i, remarks);
  }
}

}  // namespace tilewise::simt
