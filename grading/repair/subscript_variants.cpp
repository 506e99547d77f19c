// Variants of places in memory: subscripts, and the distances by which pointers are moved.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grading/repair/constants.hpp"

namespace tilewise::grading {

std::vector<Part> subscripts_of(const Place& place, std::size_t name) {
  std::vector<Part> found;
  for (std::size_t open = name + 1; place.code()[open].is("[");) {
    const std::size_t behind = place.outline().behind(open);
    found.push_back({open + 1, behind - 1});
    open = behind;
  }
  return found;
}

namespace {

/// Whether a name is an integer parameter of the function's template.
bool is_template_number(const Place& place, std::string_view name) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().parameters; i-- > 1;) {
    if (code[i].is(";") || code[i].is("}")) return false;
    if (code[i].is(name) && code[i - 1].is("int")) return true;
  }
  return false;
}

/// Adds a factor or an addend that a name in an index may lack, or an addend to the whole index.
void vary_index(Place& place, Part index) {
  const std::vector<Token>& code = place.code();
  for (const Variable* addend : place.scope().seen_at(index.first)) {
    if (addend->type != Variable::Type::integer || index.first >= index.end) continue;
    const std::string name(addend->name);
    place.add(
        {.changes = {{Change::Form::operand, {index.first, index.first}, "@ * " + name + " +"}},
         .line = code[index.first].line,
         .edits = {{{index.end, index.end}, " + " + name}},
         .cost = 3});
  }
  for (std::size_t i = index.first; i < index.end; ++i) {
    if (!is_read(place, i)) continue;
    const Variable* variable = place.scope().find(i);
    const std::string name(code[i].text);
    const bool is_number = variable == nullptr ? is_template_number(place, name)
                                               : variable->type == Variable::Type::integer;
    if (!is_number) continue;
    const bool is_factor = code[i - 1].is("*") || code[i + 1].is("*");
    for (const Variable* other : place.scope().seen_at(i)) {
      if (other->type != Variable::Type::integer) continue;
      const std::string both = name + " + " + std::string(other->name);
      place.add_expression({i, i + 1}, is_factor ? "(" + both + ")" : both, 3);
      if (is_factor) continue;
      place.add_expression({i, i + 1}, name + " * " + std::string(other->name), 3);
    }
  }
}

/// Multiplies the constants in a pointer's distance by others: `upper + half * row_length` for
/// `upper + half`.
void vary_constant_distances(Place& place, const Constants& constants, Part distance) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = distance.first; i < distance.end; ++i) {
    const Part constant = constants.at(i);
    if (constant.first == constant.end || !place.may_vary(i)) continue;
    i = constant.end - 1;
    const bool is_term = code[constant.first - 1].is("+") || code[constant.first - 1].is("-");
    if (!is_term || code[constant.end].is("*") || code[constant.end].is("/")) continue;
    const std::string words = place.words_of(constant);
    for (const std::string& other : constants_seen_at(place, constant.first)) {
      place.add_expression(constant, words + " * " + other, 2, 1);
    }
  }
}

/// Moves a pointer by whole rows: `b += depth * n` for `b += depth`.
void move_by_rows(Place& place, Part distance) {
  const std::vector<Token>& code = place.code();
  const auto is_product = [](const Token& token) { return token.is("*") || token.is("/"); };
  if (std::any_of(code.begin() + std::ptrdiff_t(distance.first),
                  code.begin() + std::ptrdiff_t(distance.end), is_product)) {
    return;
  }
  const bool is_word = distance.end - distance.first == 1;
  const std::string words = place.words_of(distance);
  for (const Variable* length : place.scope().seen_at(distance.first)) {
    if (length->type != Variable::Type::integer || !length->is_parameter) continue;
    if (words == length->name) continue;
    place.add_expression(
        distance, (is_word ? words : "(" + words + ")") + " * " + std::string(length->name), 1);
  }
}

/// Varies the distance by which a pointer is moved, and its initial value, as an index.
void vary_pointers(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const Part words = statement->words;
    const Variable* moved = place.scope().find(words.first);
    const bool moves = statement->kind == Statement::Kind::expression && moved != nullptr &&
                       moved->type == Variable::Type::pointer && words.end > words.first + 3 &&
                       !code[words.first + 1].is("[");
    // `+=` are two tokens.
    const std::size_t distance = words.first + (code[words.first + 1].is("=") ? 2 : 3);
    if (!moves || distance >= words.end) continue;
    vary_index(place, {distance, words.end - 1});
    if (place.may_vary(distance)) move_by_rows(place, {distance, words.end - 1});
  }
  const Constants constants(place);
  for (const Variable& variable : place.scope().variables()) {
    if (variable.type != Variable::Type::pointer) continue;
    vary_index(place, variable.value);
    vary_constant_distances(place, constants, variable.value);
  }
}

/// The places where an array's elements are accessed. Empty if it is used in another way, or where
/// it may not vary.
std::vector<std::vector<Part>> all_accesses(const Place& place, const Variable& array) {
  const std::size_t extents = subscripts_of(place, array.declared).size();
  std::vector<std::vector<Part>> found;
  for (std::size_t i = array.seen.first; i < array.seen.end; ++i) {
    if (place.scope().find(i) != &array || i == array.declared) continue;
    found.push_back(subscripts_of(place, i));
    if (found.back().size() != extents || !place.may_vary(i)) return {};
  }
  return found;
}

}  // namespace

/// Exchanges the last two subscripts of a square tile wherever it is accessed, which stores it
/// transposed, or no longer does.
void transpose_tiles(Place& place) {
  constexpr std::size_t fewest = 2, most = 8;  // accesses
  for (const Variable& array : place.scope().variables()) {
    if (array.type != Variable::Type::array || array.is_parameter) continue;
    const std::vector<Part> extents = subscripts_of(place, array.declared);
    if (extents.size() < 2) continue;
    const std::string rows = place.words_of(extents.end()[-2]);
    const std::string row = place.words_of(extents.back());
    const auto accesses = all_accesses(place, array);
    const bool is_square = row == rows || row.starts_with(rows + " +");
    if (!is_square || accesses.size() < fewest || accesses.size() > most) continue;
    Variant variant;
    for (const std::vector<Part>& access : accesses) {
      const Part first = access.end()[-2], second = access.back();
      const std::string a = place.words_of(first), b = place.words_of(second);
      variant.edits.push_back({first, b});
      variant.edits.push_back({second, a});
    }
    variant.is_of_pitch = true;
    variant.line = place.code()[accesses.front().front().first].line;
    variant.cost = 2;
    place.add(std::move(variant));
  }
}

void vary_subscripts(Place& place) {
  vary_pointers(place);
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    if (!code[i].is("[") || !place.may_vary(i) || !ends_operand(code[i - 1])) continue;
    const std::size_t close = place.outline().behind(i) - 1;
    if (close == i || close == i + 1) continue;
    const Part index{i + 1, close};
    for (const char* by : {"@ +", "-@ +"}) {
      const bool is_more = by[0] == '@';
      place.add({.changes = {{Change::Form::operand, {i + 1, i + 1}, by}},
                 .line = code[i].line,
                 .edits = {{{close, close}, is_more ? " + 1" : " - 1"}},
                 .cost = 2});
    }
    vary_index(place, index);
    if (!code[close + 1].is("[")) continue;
    const std::size_t next_close = place.outline().behind(close + 1) - 1;
    const Part next{close + 2, next_close};
    if (next.first >= next.end) continue;
    const std::string a = place.words_of(index), b = place.words_of(next);
    if (a == b) continue;
    place.add(
        {.changes = {{Change::Form::expression, index, b}, {Change::Form::expression, next, a}},
         .line = code[i].line,
         .edits = {{index, b}, {next, a}}});
  }
}

}  // namespace tilewise::grading
