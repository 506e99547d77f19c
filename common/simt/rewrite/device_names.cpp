#include "common/simt/rewrite/device_names.hpp"

#include <array>

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Token;
using rewriting::TokenKind;

constexpr auto wide = std::to_array<std::string_view>(
    {"size_t", "ptrdiff_t", "long", "int64_t", "uint64_t", "intptr_t", "uintptr_t"});

}  // namespace

DeviceNames::DeviceNames(const Outline& outline, std::size_t parameters, std::size_t body,
                         bool is_kernel)
    : outline_(outline), code_(outline.code()), body_(body), end_(*outline.partner(body)) {
  for (const auto& part : outline.parts_between(parameters, *outline.partner(parameters))) {
    read_parameter(part, is_kernel);
  }
  for (std::size_t i = body; i < end_; ++i) read_declaration(i);
  forget_names_of_two_types();
}

bool DeviceNames::has_wide_word(std::size_t from, std::size_t to) const {
  return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(from),
                     code_.begin() + static_cast<std::ptrdiff_t>(to),
                     [](const Token& token) { return is_one_of(token, wide); });
}

void DeviceNames::read_parameter(const rewriting::Part& part, bool is_kernel) {
  if (part.end <= part.first + 1 || !is_name(code_[part.end - 1])) return;
  const auto says = [&](std::string_view word) {
    return std::any_of(code_.begin() + static_cast<std::ptrdiff_t>(part.first),
                       code_.begin() + static_cast<std::ptrdiff_t>(part.end),
                       [&](const Token& token) { return token.is(word); });
  };
  const std::string_view name = code_[part.end - 1].text;
  if (says("*")) {
    // The pointer parameters of other functions may lead to shared memory, which is small.
    if (is_kernel) matrices_.insert(name);
    if (says("float") || says("double")) fractions_.insert(name);
    for (const char* const type : {"float", "double", "int"}) {
      if (says(type)) elements_.emplace(name, type);
    }
  } else if (says("int") && !says("unsigned") && !has_wide_word(part.first, part.end)) {
    ints_.insert(name);
    orders_.insert(name);
  }
}

void DeviceNames::read_declaration(std::size_t type) {
  static constexpr auto elements =
      std::to_array<std::string_view>({"float", "double", "int", "unsigned"});
  const bool is_pointer = code_[type + 1].is("*") && is_name(code_[type + 2]);
  if (is_pointer && (code_[type].is("float") || code_[type].is("double"))) {
    fractions_.insert(code_[type + 2].text);
  }
  const bool is_deduced_int = deduces_int(type);
  if (!is_deduced_int && !is_one_of(code_[type], elements)) return;
  if (!is_name(code_[type + 1])) return;
  if (code_[type - 1].is("long") || code_[type + 1].is("long")) return;
  // An unsigned product overflows later, and wraps around to 0.
  const bool is_int = is_deduced_int || (code_[type].is("int") && !code_[type - 1].is("unsigned"));
  const bool is_fraction = code_[type].is("float") || code_[type].is("double");
  const bool is_shared = is_shared_or_kept(type);
  std::size_t name = type + 1;
  // The type may have several words: `unsigned int`, `float __shared__`, `int const`.
  while (is_name(code_[name]) && is_name(code_[name + 1])) ++name;
  while (name < end_ && is_name(code_[name])) {
    if (code_[name + 1].is("[")) {
      if (!is_shared) arrays_.insert(code_[name].text);
      if (is_fraction) fractions_.insert(code_[name].text);
      if (is_int) whole_arrays_.insert(code_[name].text);
    } else if (is_int) {
      ints_.insert(code_[name].text);
    }
    std::size_t next = name + 1;
    while (next < end_ && !code_[next].is(",") && !code_[next].is(";") && !code_[next].is(")")) {
      next = outline_.behind(next);
    }
    if (code_[name + 1].is("=")) {
      (is_place(name + 2, next) ? places_ : other_places_).insert(code_[name].text);
    }
    if (next >= end_ || !code_[next].is(",")) return;
    name = next + 1;
  }
}

bool DeviceNames::deduces_int(std::size_t type) const {
  if (!code_[type].is("auto") || type + 4 >= end_ || !code_[type + 2].is("=")) return false;
  const std::string_view value = code_[type + 3].text;
  return code_[type + 3].kind == TokenKind::number && code_[type + 4].is(";") &&
         value.find_first_not_of("0123456789") == value.npos;
}

bool DeviceNames::is_place(std::size_t from, std::size_t to) const {
  bool of_thread = false;
  for (std::size_t i = from; i < to; ++i) {
    if (!is_name(code_[i])) continue;
    const bool is_known = code_[i].is("threadIdx") || places_.contains(code_[i].text);
    if (code_[i].is("blockIdx") || code_[i].is("gridDim")) return false;
    if (!is_known && (ints_.contains(code_[i].text) || matrices_.contains(code_[i].text))) {
      return false;
    }
    of_thread |= is_known;
  }
  return of_thread;
}

void DeviceNames::forget_names_of_two_types() {
  for (const std::string_view name : other_places_) places_.erase(name);
  for (std::size_t i = body_ + 1; i + 2 < end_; ++i) {
    const bool moves = code_[i + 1].is("=") || (code_[i + 1].is("+") && code_[i + 2].is("="));
    if (moves && !code_[i - 1].is("*")) matrices_.erase(code_[i].text);
  }
  for (std::size_t i = body_; i + 1 < end_; ++i) {
    const bool is_of_fractions = code_[i].is("float") || code_[i].is("double");
    const bool may_be_another = code_[i].is("auto") && !deduces_int(i);
    if (!may_be_another && !is_one_of(code_[i], wide) && !is_of_fractions) continue;
    std::size_t name = i + 1;
    while (code_[name].is("&") || code_[name].is("const") || code_[name].is("int")) ++name;
    ints_.erase(code_[name].text);
  }
}

bool DeviceNames::is_shared_or_kept(std::size_t type) const {
  static constexpr auto kept =
      std::to_array<std::string_view>({"__shared__", "extern", "static", "__constant__"});
  for (std::size_t i = type + 1; i < end_ && is_name(code_[i]); ++i) {
    if (is_one_of(code_[i], kept)) return true;
  }
  for (std::size_t i = type; i-- > body_;) {
    if (code_[i].is(")") || code_[i].is("]")) i = outline_.partner(i).value_or(i);
    if (code_[i].is(";") || code_[i].is("{") || code_[i].is("}")) break;
    if (is_one_of(code_[i], kept)) return true;
  }
  return false;
}

}  // namespace tilewise::simt
