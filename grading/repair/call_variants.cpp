// Variants of calls: of the function and of its arguments.
#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::TokenKind;

namespace {

bool has_sides(const Variable& variable) { return variable.base.ends_with("dim3 "); }

/// Whether an argument may be exchanged with another: a number, a pointer or a size may.
bool is_exchangeable(const Place& place, Part argument) {
  if (argument.first >= argument.end || !place.may_vary(argument.first)) return false;
  if (place.code()[argument.first].is("{")) return false;
  if (argument.end > argument.first + 1) return true;
  const Variable* variable = place.scope().find(argument.first);
  if (variable == nullptr) {
    const Token& token = place.code()[argument.first];
    return token.kind == TokenKind::number || token.is_name();
  }
  return variable->type != Variable::Type::other || has_sides(*variable);
}

/// Replaces the variable that holds a grid's or a block's dimensions by another one.
void vary_sides(Place& place, Part sides) {
  const Variable* given = place.scope().find(sides.first);
  if (sides.end != sides.first + 1 || given == nullptr || !has_sides(*given)) return;
  for (const Variable* other : place.scope().seen_at(sides.first)) {
    if (other->name == given->name || !has_sides(*other)) continue;
    const std::string name(other->name);
    place.add({.changes = {{Change::Form::sides, sides, name}},
               .line = place.code()[sides.first].line,
               .edits = {{sides, name}}});
  }
}

/// Multiplies a number of bytes by the size of an element: it may be a number of elements by
/// mistake.
void vary_bytes(Place& place, Part value) {
  const std::string words = place.words_of(value);
  if (value.first >= value.end || !place.may_vary(value.first)) return;
  if (whole_number(place.code()[value.first]) == 0 || words.find("sizeof") != words.npos) return;
  const bool is_product = words.find(" + ") == words.npos && words.find(" - ") == words.npos;
  std::set<std::string> types;
  for (const Variable& variable : place.scope().variables()) {
    const std::string base = variable.base.substr(0, variable.base.find(' '));
    const bool leads_to_reals =
        (variable.type == Variable::Type::pointer || variable.type == Variable::Type::array) &&
        (base == "float" || base == "double" || base == "__half");
    if (leads_to_reals) types.insert(base);
  }
  for (const std::string& type : types) {
    place.add_expression(
        value, (is_product ? words : "(" + words + ")") + " * sizeof(" + type + ")", 1, 1);
  }
}

/// The same for the bytes of shared memory that a launch asks for, where they are computed.
void vary_bytes_of_launch(Place& place, Part bytes) {
  const Variable* const given =
      bytes.end == bytes.first + 1 ? place.scope().find(bytes.first) : nullptr;
  const bool is_made = given != nullptr && given->value.first < given->value.end;
  vary_bytes(place, is_made ? given->value : bytes);
}

/// Whether tokens are a number: a constant, or a value of integer variables.
bool is_number(const Place& place, Part words) {
  for (std::size_t i = words.first; i < words.end; ++i) {
    const Variable* const variable = place.scope().find(i);
    if (place.code()[i].is("sizeof") || place.code()[i].is("&")) return false;
    if (variable != nullptr && variable->type != Variable::Type::integer) return false;
  }
  return words.first < words.end;
}

}  // namespace

void vary_bytes_of_copies(Place& place) {
  static constexpr auto in_bytes = std::to_array<std::string_view>(
      {"cp_async", "memcpy", "memset", "cudaMemcpy", "cudaMemcpyAsync", "cudaMemset",
       "cudaMemsetAsync", "cudaMalloc", "__pipeline_memcpy_async"});
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 1; i + 1 < place.function().end; ++i) {
    if (std::ranges::find(in_bytes, code[i].text) == in_bytes.end()) continue;
    std::size_t open = i + 1;
    if (code[open].is("<")) open = place.outline().template_close(open).value_or(open) + 1;
    const auto close = code[open].is("(") ? place.outline().partner(open) : std::nullopt;
    if (!close) continue;
    const std::vector<Part> arguments = place.outline().parts_between(open, *close);
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      const bool is_kind = code[arguments[k].first].text.starts_with("cudaMemcpy");
      if (!is_kind && is_number(place, arguments[k])) vary_bytes(place, arguments[k]);
    }
  }
}

namespace {

/// The two factors of a product that is all of some tokens; empty if these are something else.
std::vector<Part> factors_of(const Place& place, Part words) {
  const Part first = operand_at(place, words.first);
  if (first.first == first.end || first.end >= words.end) return {};
  const Part second = operand_at(place, first.end + 1);
  const bool is_product = place.code()[first.end].is("*") && second.end == words.end;
  return is_product ? std::vector<Part>{first, second} : std::vector<Part>();
}

}  // namespace

void vary_rounding(Place& place) {
  // Writes `divide_up(rows, tile) * divide_up(cols, tile)` for `divide_up(rows * cols, tile *
  // tile)`: each side is rounded by itself.
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    if (!code[i].is_name() || !code[i + 1].is("(") || !place.may_vary(i)) continue;
    const auto close = place.outline().partner(i + 1);
    const bool is_factor = code[i - 1].is("*") || code[i - 1].is("/") || code[i - 1].is("%");
    if (!close || is_factor || code[i - 1].is(".") || code[i - 1].is("::")) continue;
    const std::vector<Part> arguments = place.outline().parts_between(i + 1, *close);
    if (arguments.size() != 2) continue;
    const auto a = factors_of(place, arguments[0]), b = factors_of(place, arguments[1]);
    if (a.empty() || b.empty()) continue;
    const auto call = [&](std::size_t k) {
      return std::string(code[i].text) + "(" + place.words_of(a[k]) + ", " + place.words_of(b[k]) +
             ")";
    };
    place.add_expression({i, *close + 1}, call(0) + " * " + call(1));
  }
}

namespace {

/// Whether a token stands in an index, or in the initial value of a pointer.
bool leads_to_memory(const Place& place, std::size_t i) {
  for (std::size_t open = i; open-- > place.function().body + 1;) {
    if (!place.code()[open].is("[")) continue;
    if (place.outline().behind(open) > i) return true;
    break;
  }
  return std::ranges::any_of(place.scope().variables(), [&](const Variable& variable) {
    return variable.type == Variable::Type::pointer && variable.value.first <= i &&
           i < variable.value.end;
  });
}

}  // namespace

void vary_limited_indices(Place& place) {
  // Where an index is kept inside of a matrix by min(row, last), others may need the same.
  const std::vector<Token>& code = place.code();
  std::set<std::string> limits;
  std::set<std::size_t> limited;
  for (std::size_t i = place.function().body + 2; i + 1 < place.function().end; ++i) {
    if (!code[i].is("min") || !code[i + 1].is("(")) continue;
    const auto close = place.outline().partner(i + 1);
    if (!close) continue;
    const std::vector<Part> parts = place.outline().parts_between(i + 1, *close);
    for (std::size_t k = i; k < *close; ++k) limited.insert(k);
    if (parts.size() == 2 && is_number(place, parts[1])) limits.insert(place.words_of(parts[1]));
  }
  if (limits.empty()) return;
  for (std::size_t i = place.function().body + 2; i + 1 < place.function().end; ++i) {
    const Variable* const index = is_read(place, i) ? place.scope().find(i) : nullptr;
    if (index == nullptr || index->type != Variable::Type::integer || index->is_evaluated) continue;
    if (index->is_parameter || limited.contains(i) || !leads_to_memory(place, i)) continue;
    for (const std::string& limit : limits) {
      place.add_expression({i, i + 1}, "min(" + std::string(index->name) + ", " + limit + ")", 2,
                           1);
    }
  }
}

void vary_arguments(Place& place) {
  // With its last two arguments exchanged, memset(C, 0, bytes) sets nothing.
  static constexpr auto no_calls = std::to_array<std::string_view>(
      {"if", "for", "while", "switch", "memset", "cudaMemset", "cudaMemsetAsync"});
  const std::vector<Token>& code = place.code();
  const auto exchange = [&](const std::vector<Part>& parts, Change::Form form) {
    // Exchange neighbours, and arguments on both sides of another, such as the outer two of three
    // sizes.
    for (const std::size_t apart : {1, 2}) {
      for (std::size_t k = 0; k + apart < parts.size(); ++k) {
        const Part a = parts[k], b = parts[k + apart];
        if (!is_exchangeable(place, a) || !is_exchangeable(place, b)) continue;
        const std::string first = place.words_of(a), second = place.words_of(b);
        if (first == second) continue;
        // Blocks of one thread are never meant.
        if (form == Change::Form::sides && first == "1") continue;
        place.add({.changes = {{form, a, second}, {form, b, first}},
                   .line = code[a.first].line,
                   .edits = {{a, second}, {b, first}},
                   .cost = static_cast<int>(apart),
                   .daring = form == Change::Form::expression ? 2 : 0});
      }
    }
  };
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    const bool is_call = code[i].is("(") && (code[i - 1].is_name() || code[i - 1].is(">")) &&
                         std::ranges::find(no_calls, code[i - 1].text) == no_calls.end();
    const auto close = is_call ? place.outline().partner(i) : std::nullopt;
    if (close) exchange(place.outline().parts_between(i, *close), Change::Form::expression);
    const auto end_of_list =
        code[i].is("{") && code[i - 1].is("=") ? place.outline().partner(i) : std::nullopt;
    if (end_of_list)
      exchange(place.outline().parts_between(i, *end_of_list), Change::Form::expression);
    if (!code[i].is("<<<")) continue;
    std::vector<Part> parts = {{i + 1, i + 1}};
    std::size_t at = i + 1;
    for (; at + 2 < place.function().end && !(code[at].is(">") && code[at + 1].is(">"));) {
      if (code[at].is(",")) parts.push_back({at + 1, at + 1});
      at = place.outline().behind(at);
      parts.back().end = at;
    }
    for (Part& part : parts) {
      if (part.end > part.first && code[part.end - 1].is(",")) --part.end;
    }
    if (parts.size() > 2) vary_bytes_of_launch(place, parts[2]);
    if (parts.size() > 2) parts.resize(2);
    exchange(parts, Change::Form::sides);
    for (const Part& part : parts) vary_sides(place, part);
  }
}

namespace {

/// Functions that have the same parameters and are easily confused.
constexpr auto shuffles = std::to_array<std::string_view>(
    {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"});
constexpr auto votes = std::to_array<std::string_view>({"__all_sync", "__any_sync"});
constexpr auto extremes = std::to_array<std::string_view>({"min", "max"});
constexpr auto extremes_of_floats = std::to_array<std::string_view>({"fminf", "fmaxf"});
constexpr auto extremes_of_doubles = std::to_array<std::string_view>({"fmin", "fmax"});
constexpr auto alike = std::to_array<std::span<const std::string_view>>(
    {shuffles, votes, extremes, extremes_of_floats, extremes_of_doubles});

/// Replaces the called function by another.
/// @param names the tokens of its name in the calls to change, in their order
void call_another(Place& place, const std::vector<std::size_t>& names, std::string_view other,
                  int cost) {
  const std::vector<Token>& code = place.code();
  Variant variant{.changes = {}, .line = code[names.front()].line, .edits = {}, .cost = cost};
  std::size_t end_of_call = 0;
  for (const std::size_t name : names) {
    variant.edits.push_back({{name, name + 1}, std::string(other)});
    if (name < end_of_call) continue;  // it is in an argument of the call before, changed with it
    const std::size_t first = code[name - 1].is("::") ? name - 2 : name;
    end_of_call = place.outline().behind(name + 1);
    std::string text;
    std::size_t at = first;
    for (const std::size_t inner : names) {
      if (inner < name || inner >= end_of_call) continue;
      text += place.text_of({at, inner}) + " " + std::string(other);
      at = inner + 1;
    }
    text += place.text_of({at, end_of_call});
    variant.changes.push_back({Change::Form::expression, {first, end_of_call}, text});
  }
  place.add(std::move(variant));
}

}  // namespace

namespace {

/// Adds to a shuffle the width that it may lack, the number of lanes that form a team.
void vary_widths(Place& place, std::size_t name) {
  const std::size_t open = name + 1, close = place.outline().behind(open) - 1;
  if (place.outline().parts_between(open, close).size() != 3 || !place.may_vary(name)) return;
  for (const std::string& width : constants_seen_at(place, name)) {
    const std::string call = place.words_of({name, close}) + ", " + width + ")";
    place.add_expression({name, close + 1}, call, 2, 1);
  }
}

/// Whether a token stands in the configuration of a launch.
bool is_in_configuration(const Place& place, std::size_t at) {
  for (std::size_t i = at; i-- > place.function().body;) {
    const Token& token = place.code()[i];
    if (token.is("<<<")) return true;
    if (token.is(";") || token.is("{") || token.is("}")) return false;
    if (token.is(">") && place.code()[i - 1].is(">")) return false;
  }
  return false;
}

/// Writes `threads` for `min(blocks, threads)`. A function that chooses among configurations needs
/// all of its limits.
void vary_limits(Place& place, std::size_t name) {
  const std::vector<Token>& code = place.code();
  const auto close = code[name + 1].is("(") ? place.outline().partner(name + 1) : std::nullopt;
  const bool may_lack_one = place.function().is_of_device || is_in_configuration(place, name);
  if (!close || !may_lack_one) return;
  const std::vector<Part> parts = place.outline().parts_between(name + 1, *close);
  const std::size_t first = code[name - 1].is("::") ? name - 2 : name;
  if (parts.size() != 2 || !place.may_vary(first)) return;
  for (const Part& part : parts) {
    place.add_expression({first, *close + 1}, place.words_of(part), 0, 1);
  }
  // The last index is one below the size: `min(col, n - 1)`.
  const Part last = parts[1];
  const Variable* const size =
      last.end == last.first + 1 ? place.scope().find(last.first) : nullptr;
  if (size == nullptr || size->type != Variable::Type::integer || !size->is_parameter) return;
  place.add_expression(last, std::string(size->name) + " - 1", 0);
}

}  // namespace

void vary_functions(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    const bool is_shuffle = std::ranges::find(shuffles, code[i].text) != shuffles.end();
    if (is_shuffle && code[i + 1].is("(")) vary_widths(place, i);
    if (code[i].is("min") || code[i].is("max")) vary_limits(place, i);
    for (const auto& [name, other] :
         {std::pair("mem_row_major", "mem_col_major"), {"mem_col_major", "mem_row_major"}}) {
      if (!code[i].is(name) || !place.may_vary(i)) continue;
      const std::size_t first = code[i - 1].is("::") ? i - 2 : i;
      place.add_expression({first, i + 1}, place.text_of({first, i}) + other);
    }
  }
  for (const auto& group : alike) {
    for (const std::string_view called : group) {
      std::vector<std::size_t> names;
      for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
        const bool is_member = code[i - 1].is(".") || code[i - 1].is("->");
        if (code[i].is(called) && code[i + 1].is("(") && place.may_vary(i) && !is_member) {
          names.push_back(i);
        }
      }
      for (const std::string_view other : group) {
        if (other == called || names.empty()) continue;
        // The host takes the smallest of several limits. With the largest, a configuration that
        // fits nowhere would pass for one that does.
        if (!place.function().is_of_device && other == "max") continue;
        call_another(place, names, other, 1);
        if (names.size() == 1) continue;
        for (const std::size_t name : names) call_another(place, {name}, other, 2);
      }
    }
  }
}

}  // namespace tilewise::grading
