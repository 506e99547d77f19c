// Variants of what statements do: assignments, initial values, iterations of loops, jumps.
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

using simt::rewriting::is_changed_at;

namespace {

bool says(const Place& place, Part words, std::string_view word) {
  const std::vector<Token>& code = place.code();
  return std::any_of(code.begin() + std::ptrdiff_t(words.first),
                     code.begin() + std::ptrdiff_t(words.end),
                     [&](const Token& token) { return token.is(word); });
}

/// Whether the target of an assignment is a number, as far as the tokens tell.
bool is_of_numbers(const Place& place, Part to) {
  const Variable* variable = place.scope().find(to.first);
  if (variable == nullptr) return false;
  const bool is_number =
      variable->type == Variable::Type::real || variable->type == Variable::Type::integer;
  if (is_number) return to.end == to.first + 1;
  const std::string& base = variable->base;
  const bool leads_to_numbers = base == "float " || base == "double " || base == "int ";
  return leads_to_numbers && place.code()[to.first + 1].is("[");
}

}  // namespace

std::string words_before(const Place& place, std::size_t token) {
  const std::vector<Token>& code = place.code();
  if (code[token].is("}")) return tr("before the }} on line {}", code[token].line);
  const std::size_t begin = before_pragmas(place.text(), code[token].begin);
  if (begin < code[token].begin) {
    const std::string_view between = place.text().substr(begin, code[token].begin - begin);
    const auto lines = static_cast<int>(std::ranges::count(between, '\n'));
    return tr("before line {}, '{}'", code[token].line - lines,
              between.substr(0, between.find('\n')));
  }
  std::size_t end = token;
  while (end < place.function().end && code[end].line == code[token].line) ++end;
  return tr("before line {}, '{}'", code[token].line, place.words_of({token, end}));
}

void vary_assignments(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    if (statement->kind != Statement::Kind::expression) continue;
    const Part words = statement->words;
    std::size_t equals = words.first;
    while (equals < words.end && !code[equals].is("=")) equals = place.outline().behind(equals);
    if (equals >= words.end || equals == words.first) continue;
    const Token& sign = code[equals - 1];
    const bool joins = sign.is("+") || sign.is("-") || sign.is("*");
    const Part given{joins ? equals - 1 : equals, equals + 1};
    if (!is_of_numbers(place, {words.first, given.first})) continue;
    for (const char* other : {"=", "+=", "-="}) {
      if (place.words_of(given) == other) continue;
      const std::string text = place.words_of({words.first, given.first}) + " " + other + " " +
                               place.words_of({given.end, words.end});
      place.add({.changes = {{Change::Form::statement, words, text}},
                 .line = code[words.first].line,
                 .edits = {{given, other}}});
    }
  }
}

namespace {

/// Clamps an index to that of the last element, which may be meant for threads beyond an edge.
void vary_limits(Place& place, const Variable& variable) {
  const bool is_place = variable.type == Variable::Type::integer && place.function().is_of_device &&
                        place.may_vary(variable.value.first) &&
                        !whole_number(place.code()[variable.value.first]);
  if (!is_place) return;
  const std::string value = place.words_of(variable.value);
  for (const Variable* limit : place.scope().seen_at(variable.value.first)) {
    if (!limit->is_parameter || limit->type != Variable::Type::integer) continue;
    const std::string last = std::string(limit->name) + " - 1";
    if (value.find(last) == value.npos || !value.starts_with("min(") || !value.ends_with(")")) {
      place.add_expression(variable.value, "min(" + value + ", " + last + ")", 3, 1);
    }
  }
}

/// Sets all variables that a statement declares without a value: `float a, b, c = 0;`.
void clear_declared(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const auto [first, gap] = statement->words;
    const bool is_declaration = statement->kind == Statement::Kind::declaration &&
                                statement->inner.empty() && gap < place.function().end;
    if (!is_declaration || !place.may_vary(gap - 1)) continue;
    std::string calls;
    std::vector<Rewording> edits;
    for (const Variable& variable : place.scope().variables()) {
      if (variable.declared < first || variable.declared >= gap) continue;
      const bool is_number = variable.type == Variable::Type::real ||
                             variable.type == Variable::Type::integer ||
                             variable.type == Variable::Type::array;
      std::size_t end = variable.declared + 1;
      while (code[end].is("[")) end = place.outline().behind(end);
      const bool has_none = code[end].is(";") || code[end].is(",");
      if (!is_number || !has_none || variable.base.ends_with('*')) continue;
      calls += "::tilewise::simt::clear(" + std::string(variable.name) + ");";
      edits.push_back({{end, end}, " = {}"});
    }
    if (edits.empty()) continue;
    place.add({.changes = {{Change::Form::insertion, {gap, gap}, calls}},
               .line = code[first].line,
               .edits = std::move(edits)});
  }
}

}  // namespace

void vary_initial_values(Place& place) {
  const std::vector<Token>& code = place.code();
  const Variable* previous = nullptr;
  for (const Variable& variable : place.scope().variables()) {
    if (variable.declared < place.function().body) continue;
    const bool has_value = variable.value.end > variable.value.first;
    if (has_value) vary_limits(place, variable);
    // A number as initial value is seldom confused with a computed one.
    const auto is_computed = [&](const Variable& one) {
      return !whole_number(code[one.value.first]);
    };
    if (has_value && previous != nullptr && previous->type == variable.type &&
        variable.type == Variable::Type::integer && is_computed(variable) &&
        is_computed(*previous) && !says(place, variable.value, previous->name)) {
      const std::string a = place.words_of(previous->value), b = place.words_of(variable.value);
      place.add({.changes = {{Change::Form::expression, previous->value, b},
                             {Change::Form::expression, variable.value, a}},
                 .line = code[previous->declared].line,
                 .edits = {{previous->value, b}, {variable.value, a}}});
    }
    previous = has_value ? &variable : nullptr;
  }
  clear_declared(place);
}

namespace {

/// Whether a loop changes a variable that nothing uses behind the loop. Then each iteration may
/// start it anew.
bool is_of_one_turn(const Place& place, const Variable& variable, Part loop) {
  bool changes = false;
  for (std::size_t i = variable.seen.first; i < variable.seen.end; ++i) {
    if (place.scope().find(i) != &variable) continue;
    if (i >= loop.end) return false;
    changes = changes || (i >= loop.first && is_changed_at(place.outline(), i));
  }
  return changes;
}

}  // namespace

void vary_starts(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Variable& variable : place.scope().variables()) {
    const bool is_number =
        variable.type == Variable::Type::real || variable.type == Variable::Type::integer;
    const bool is_pointer =
        variable.type == Variable::Type::pointer && variable.value.end > variable.value.first;
    const bool is_fixed = is_pointer
                              ? code[variable.declared - 1].is("const")  // not the target's const
                              : variable.is_constant;
    if (variable.is_parameter || is_fixed || !(is_number || is_pointer)) continue;
    const std::string value =
        variable.value.end > variable.value.first ? place.words_of(variable.value) : "0";
    for (const Statement* statement : with_inner(place.body())) {
      const std::size_t begin = statement->words.first;
      const bool is_loop = code[begin].is("for") || code[begin].is("while");
      if (!is_loop || begin < variable.seen.first || begin >= variable.seen.end) continue;
      if (!is_of_one_turn(place, variable, statement->words)) continue;
      for (const Statement& body : statement->inner) {
        if (!body.takes_more) continue;
        const std::size_t gap = body.words.first + 1;
        const std::string text = std::string(variable.name) + " = " + value + ";";
        place.add({.changes = {{Change::Form::insertion, {gap, gap}, text}},
                   .line = code[gap].line,
                   .edits = {{{gap, gap}, text}},
                   .words = tr("put '{}' {}", text, words_before(place, gap)),
                   .cost = 2});
      }
    }
  }
}

/// Makes a loop of a test, as is needed behind a loop that takes several elements at a time, where
/// the rest may be more than one: `for (; i < n; i += all)` for `if (i < n)`, or `while (i >= n)`
/// for `if (i >= n)`.
void vary_loops(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const Part words = statement->words;
    const bool is_test = code[words.first].is("if") && code[words.first + 1].is("(");
    if (!is_test || statement->inner.size() != 1 || !place.may_vary(words.first)) continue;
    const Part condition{words.first + 2, place.outline().behind(words.first + 1) - 1};
    const Variable* const counter = place.scope().find(condition.first);
    const bool counts = counter != nullptr && counter->type == Variable::Type::integer &&
                        !counter->is_parameter && !counter->is_constant;
    if (!counts) continue;
    const auto add = [&](const std::string& head) {
      place.add({.changes = {{Change::Form::statement, words,
                              head + " " + place.words_of({condition.end + 1, words.end})}},
                 .line = code[words.first].line,
                 .edits = {{{words.first, condition.end + 1}, head}},
                 .cost = 2});
    };
    bool is_changed = false;
    for (std::size_t i = condition.end; i < words.end; ++i) {
      is_changed |= place.scope().find(i) == counter && is_changed_at(place.outline(), i);
    }
    if (is_changed) {
      add("while (" + place.words_of(condition) + ")");
      continue;
    }
    const std::string name(counter->name);
    std::vector<std::string> steps = {"++" + name, name + " += blockDim.x"};
    for (const Variable* step : place.scope().seen_at(words.first)) {
      const bool is_step = step->type == Variable::Type::integer && step != counter;
      if (is_step) steps.push_back(name + " += " + std::string(step->name));
    }
    for (const std::string& step : steps) {
      add("for (; " + place.words_of(condition) + "; " + step + ")");
    }
  }
}

void vary_cases(Place& place) {
  const std::vector<Token>& code = place.code();
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    const bool is_label = code[i].is("case") || code[i].is("default");
    if (!is_label || !code[i - 1].is(";")) continue;
    place.add({.changes = {{Change::Form::insertion, {i, i}, "break;"}},
               .line = code[i].line,
               .edits = {{{i, i}, "break;"}},
               .words = tr("put 'break;' {}", words_before(place, i)),
               .cost = 2});
  }
}

/// Repeats an assignment for another variable that alternates with the first one: behind
/// `cur = 1 - cur;` it puts `nxt = 1 - nxt;`, which may be missing.
void vary_turns(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const Part words = statement->words;
    if (statement->kind != Statement::Kind::expression || !place.may_vary(words.first)) continue;
    const Variable* variable = place.scope().find(words.first);
    const bool is_assigned = variable != nullptr && variable->type == Variable::Type::integer &&
                             code[words.first + 1].text.ends_with('=');
    const std::size_t gap = words.end;
    if (!is_assigned || gap >= place.function().end) continue;
    for (const Variable* other : place.scope().seen_at(words.first)) {
      const bool is_alike = other->type == variable->type && !other->is_constant &&
                            !other->is_parameter && other->name != variable->name;
      if (!is_alike) continue;
      std::string text;
      for (std::size_t i = words.first; i < words.end; ++i) {
        const bool is_it = place.scope().find(i) == variable;
        text += std::string(is_it ? other->name : code[i].text) + (i + 2 < words.end ? " " : "");
      }
      place.add({.changes = {{Change::Form::insertion, {gap, gap}, text}},
                 .line = code[words.first].line,
                 .edits = {{{gap, gap}, text}},
                 .words = tr("put '{}' behind line {}, '{}'", text, code[words.first].line,
                             place.words_of(words)),
                 .cost = 2});
    }
  }
}

namespace {

/// The jumps in a loop that are easily confused.
constexpr auto jumps = std::to_array<std::string_view>({"return", "continue", "break"});

void vary_jumps_in(Place& place, const Statement& statement, bool is_in_loop) {
  const std::vector<Token>& code = place.code();
  const Token& first = code[statement.words.first];
  const bool is_control = statement.kind == Statement::Kind::control;
  const bool is_block = statement.kind == Statement::Kind::block;
  if (is_control && first.is("switch")) return;  // a break there ends the switch
  if (!is_control && !is_block) is_in_loop = is_in_loop && statement.inner.empty();  // or a lambda
  if (is_control) is_in_loop = is_in_loop || first.is("for") || first.is("while") || first.is("do");
  for (const Statement& inner : statement.inner) vary_jumps_in(place, inner, is_in_loop);
  const bool is_jump = statement.kind == Statement::Kind::other &&
                       std::ranges::find(jumps, first.text) != jumps.end() &&
                       code[statement.words.first + 1].is(";");
  if (!is_jump || !is_in_loop || !place.may_vary(statement.words.first)) return;
  for (const std::string_view other : jumps) {
    if (first.is(other) || other == "return") continue;
    const std::string text = std::string(other) + ";";
    place.add({.changes = {{Change::Form::statement, statement.words, text}},
               .line = first.line,
               .edits = {{statement.words, text}}});
  }
}

}  // namespace

void vary_jumps(Place& place) { vary_jumps_in(place, place.body(), false); }

}  // namespace tilewise::grading
