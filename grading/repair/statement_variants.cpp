// Variants of what is done: assignments, first values, barriers, jumps, order.
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

constexpr const char* barrier = "__syncthreads();";

bool says(const Place& place, Part words, std::string_view word) {
  const std::vector<Token>& code = place.code();
  return std::any_of(code.begin() + std::ptrdiff_t(words.first),
                     code.begin() + std::ptrdiff_t(words.end),
                     [&](const Token& token) { return token.is(word); });
}

/// Whether what is assigned to is a number, as far as words tell.
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

/// The place of a thread beyond an edge may be that of the last element.
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

}  // namespace

void vary_initial_values(Place& place) {
  const std::vector<Token>& code = place.code();
  const Variable* previous = nullptr;
  for (const Variable& variable : place.scope().variables()) {
    if (variable.declared < place.function().body) continue;
    const bool has_value = variable.value.end > variable.value.first;
    if (has_value) vary_limits(place, variable);
    // A number that something begins with is seldom taken for what is computed.
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
    std::size_t end = variable.declared + 1;
    while (code[end].is("[")) end = place.outline().behind(end);
    const bool is_number = variable.type == Variable::Type::real ||
                           variable.type == Variable::Type::integer ||
                           variable.type == Variable::Type::array;
    if (has_value || !is_number || !code[end].is(";") || !place.may_vary(end)) continue;
    if (variable.base.ends_with('*')) continue;
    const std::string name(variable.name);
    place.add({.changes = {{Change::Form::insertion,
                            {end + 1, end + 1},
                            "::tilewise::simt::clear(" + name + ");"}},
               .line = code[end].line,
               .edits = {{{end, end}, " = {}"}}});
  }
}

namespace {

/// "before line 12, 'sum = 0;'"
std::string place_words(const Place& place, std::size_t token) {
  const std::vector<Token>& code = place.code();
  if (code[token].is("}")) return tr("before the }} on line {}", code[token].line);
  std::size_t end = token;
  while (end < place.function().end && code[end].line == code[token].line) ++end;
  return tr("before line {}, '{}'", code[token].line, place.words_of({token, end}));
}

}  // namespace

namespace {

/// Whether a loop changes a variable that nobody reads behind it: then each turn may begin anew.
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
    if (variable.is_parameter || variable.is_constant || !is_number) continue;
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
                   .words = tr("put '{}' {}", text, place_words(place, gap)),
                   .cost = 2});
      }
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
               .words = tr("put 'break;' {}", place_words(place, i)),
               .cost = 2});
  }
}

namespace {

/// Places between statements, by the token that comes next.
std::vector<std::size_t> gaps(const Place& place) {
  std::vector<std::size_t> found;
  for (const Statement* statement : with_inner(place.body())) {
    if (!statement->takes_more) continue;
    for (const Statement& each : statement->inner) found.push_back(each.words.first);
    found.push_back(statement->words.end - 1);
  }
  return found;
}

int loops_around(const Place& place, std::size_t gap) {
  static constexpr std::array<std::string_view, 3> loops = {"for", "while", "do"};
  return static_cast<int>(
      std::ranges::count_if(with_inner(place.body()), [&](const Statement* statement) {
        const Part words = statement->words;
        return std::ranges::find(loops, place.code()[words.first].text) != loops.end() &&
               words.first < gap && gap < words.end;
      }));
}

bool is_barrier(const Place& place, const Statement& statement) {
  return statement.kind == Statement::Kind::expression &&
         place.code()[statement.words.first].is("__syncthreads");
}

}  // namespace

void vary_barriers(Place& place) {
  if (!place.function().is_of_device) return;
  const Part all = place.body().words;
  if (!says(place, all, "__shared__") && !says(place, all, "__syncthreads")) return;
  const std::vector<std::size_t> places = gaps(place);
  for (const std::size_t gap : places) {
    place.add({.changes = {{Change::Form::insertion, {gap, gap}, barrier}},
               .line = place.code()[gap].line,
               .edits = {{{gap, gap}, barrier}},
               .words = tr("put a {} {}", barrier, place_words(place, gap)),
               .is_of_barrier = true,
               .loops = loops_around(place, gap),
               .cost = 2});
  }
  for (const Statement* statement : with_inner(place.body())) {
    if (!is_barrier(place, *statement)) continue;
    const Change left_out{Change::Form::statement, statement->words, ""};
    const int line = place.code()[statement->words.first].line;
    place.add({.changes = {left_out},
               .line = line,
               .edits = {{statement->words, ";"}},
               .words = tr("leave out the {} on line {}", barrier, line),
               .is_of_barrier = true,
               .cost = 3});
    for (const std::size_t gap : places) {
      if (gap == statement->words.first || gap == statement->words.end) continue;
      place.add(
          {.changes = {left_out, {Change::Form::insertion, {gap, gap}, barrier}},
           .line = line,
           .edits = {{statement->words, ";"}, {{gap, gap}, barrier}},
           .words = tr("move the {} from line {}: {}", barrier, line, place_words(place, gap)),
           .is_of_barrier = true,
           .loops = loops_around(place, gap),
           .cost = 4});
    }
  }
}

namespace {

/// Moves statements past others beside them, or out of what they stand in.
class Mover {
 public:
  explicit Mover(Place& place) : place_(place), gaps_(gaps(place)) {}

  void visit(const Statement& parent, const Statement* grandparent) {
    for (std::size_t i = 0; i < parent.inner.size(); ++i) {
      const Statement& statement = parent.inner[i];
      if (can_move(statement)) {
        leave_out(statement);
        for (std::size_t k = 0; parent.takes_more && k < i; ++k) {
          move(statement, parent.inner[k].words.first);
        }
        for (std::size_t k = i + 1; parent.takes_more && k < parent.inner.size(); ++k) {
          move(statement, parent.inner[k].words.end);
        }
        if (parent.takes_more && i + 1 < parent.inner.size()) {
          into(statement, parent.inner[i + 1], false);
        }
        if (parent.takes_more && i > 0) into(statement, parent.inner[i - 1], true);
        if (grandparent != nullptr) out_of(statement, *grandparent);
      }
      visit(statement,
            statement.kind == Statement::Kind::block && parent.kind == Statement::Kind::control
                ? &parent
                : &statement);
    }
  }

 private:
  bool can_move(const Statement& statement) const {
    constexpr std::size_t most_tokens = 60;
    const bool is_action = statement.kind == Statement::Kind::expression ||
                           (statement.kind == Statement::Kind::control &&
                            place_.code()[statement.words.first].is("if"));
    return is_action && !is_barrier(place_, statement) &&
           statement.words.end - statement.words.first <= most_tokens &&
           place_.may_vary(statement.words.first);
  }

  void leave_out(const Statement& statement) {
    const int line = place_.code()[statement.words.first].line;
    place_.add({.changes = {{Change::Form::statement, statement.words, ""}},
                .line = line,
                .edits = {{statement.words, ";"}},
                .words = tr("leave out '{}' on line {}", place_.words_of(statement.words), line),
                .cost = 4});
  }

  /// Whether statements may stand there, and all its variables are seen.
  bool fits(const Statement& statement, std::size_t gap) const {
    if (std::ranges::find(gaps_, gap) == gaps_.end()) return false;
    for (std::size_t i = statement.words.first; i < statement.words.end; ++i) {
      const Variable* variable = place_.scope().find(i);
      if (variable == nullptr) continue;
      if (gap < variable->seen.first || gap >= variable->seen.end) return false;
    }
    return true;
  }

  void move(const Statement& statement, std::size_t gap) {
    if (!fits(statement, gap)) return;
    const int line = place_.code()[statement.words.first].line;
    place_.add(
        {.changes = {{Change::Form::statement, statement.words, ""},
                     {Change::Form::insertion, {gap, gap}, place_.words_of(statement.words)}},
         .line = line,
         .edits = {{statement.words, ";"}, {{gap, gap}, place_.words_of(statement.words)}},
         .words = tr("move '{}' from line {}: {}", place_.words_of(statement.words), line,
                     place_words(place_, gap)),
         .cost = 3});
  }

  /// To the begin or the end of what a loop, or an `if`, holds beside the statement.
  void into(const Statement& statement, const Statement& control, bool at_end) {
    if (control.kind != Statement::Kind::control) return;
    for (const Statement& block : control.inner) {
      if (!block.takes_more) continue;
      move(statement, at_end ? block.words.end - 1 : block.words.first + 1);
    }
  }

  void out_of(const Statement& statement, const Statement& control) {
    if (control.kind != Statement::Kind::control) return;
    move(statement, control.words.first);
    move(statement, control.words.end);
  }

  Place& place_;
  std::vector<std::size_t> gaps_;
};

}  // namespace

/// A variable that takes turns with another may lack its own: `cur = 1 - cur;` behind which
/// `nxt = 1 - nxt;` is missing.
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

/// Ways to go on in a loop that are taken for one another.
constexpr auto jumps = std::to_array<std::string_view>({"return", "continue", "break"});

void vary_jumps_in(Place& place, const Statement& statement, bool is_in_loop) {
  const std::vector<Token>& code = place.code();
  const Token& first = code[statement.words.first];
  const bool is_control = statement.kind == Statement::Kind::control;
  const bool is_block = statement.kind == Statement::Kind::block;
  if (is_control && first.is("switch")) return;  // a break is its own there
  if (!is_control && !is_block) is_in_loop = is_in_loop && statement.inner.empty();  // of a lambda
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

void vary_order(Place& place) { Mover(place).visit(place.body(), nullptr); }

}  // namespace tilewise::grading
