// Variants of what is done: conditions, guards, assignments, first values, barriers, order.
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

/// What && or || joins, at the outermost level.
std::vector<Part> joined_by(const Place& place, Part words, std::string_view sign) {
  std::vector<Part> parts = {{words.first, words.first}};
  for (std::size_t i = words.first; i < words.end;) {
    if (place.code()[i].is(sign)) {
      parts.back().end = i;
      parts.push_back({i + 1, i + 1});
      ++i;
    } else {
      i = place.outline().behind(i);
    }
  }
  parts.back().end = words.end;
  return parts;
}

std::string joined(const Place& place, const std::vector<Part>& parts, const char* between,
                   std::size_t without) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == without) continue;
    text += (text.empty() ? "" : between) + place.words_of(parts[i]);
  }
  return text;
}

void vary_condition(Place& place, Part words, bool may_be_left_out) {
  if (words.first >= words.end || !place.may_vary(words.first)) return;
  if (declares(place.outline(), {words.first, words.end + 1})) return;
  const std::vector<Part> both = joined_by(place, words, "&&"),
                          either = joined_by(place, words, "||");
  const std::size_t none = words.end;
  if (both.size() > 1 && either.size() == 1) {
    for (std::size_t i = 0; i < both.size(); ++i) {
      place.add_condition(words, joined(place, both, " && ", i), 2);
    }
    place.add_condition(words, joined(place, both, " || ", none), 2);
  }
  if (either.size() > 1 && both.size() == 1) {
    place.add_condition(words, joined(place, either, " && ", none), 2);
  }
  place.add_condition(words, "!(" + place.words_of(words) + ")", 2);
  if (may_be_left_out) {
    place.add_condition(words, "true", 3);
  } else {
    place.add_paths(words);
  }
}

}  // namespace

namespace {

/// Whether what an `if` decides on is to leave a function, or a turn of a loop.
bool only_leaves(const Place& place, const Statement& control) {
  const Statement* what = control.inner.empty() ? nullptr : &control.inner.front();
  while (what != nullptr && what->kind == Statement::Kind::block && what->inner.size() == 1) {
    what = &what->inner.front();
  }
  if (what == nullptr || what->kind != Statement::Kind::other) return false;
  const Token& first = place.code()[what->words.first];
  return first.is("return") || first.is("continue");
}

/// In place of a test those of any two integers against a parameter.
/// @param leaves the test is of who has nothing to do
void vary_test(Place& place, Part words, bool leaves) {
  constexpr std::size_t most_integers = 6;
  if (!place.function().is_of_device || words.first >= words.end || !place.may_vary(words.first))
    return;
  if (declares(place.outline(), {words.first, words.end + 1})) return;
  std::vector<std::string> integers, limits;
  for (const Variable* each : place.scope().seen_at(words.first)) {
    if (each->type != Variable::Type::integer) continue;
    if (each->is_parameter) {
      limits.emplace_back(each->name);
    } else if (integers.size() < most_integers) {
      integers.emplace_back(each->name);
    }
  }
  if (limits.size() > 2) return;
  for (std::size_t i = 0; i < integers.size(); ++i) {
    for (std::size_t k = i + 1; k < integers.size(); ++k) {
      for (const std::string& a : limits) {
        for (const std::string& b : limits) {
          // As they are declared, which is the other way round.
          const std::string &first = integers[k], &second = integers[i];
          const std::string text = leaves ? first + " >= " + a + " || " + second + " >= " + b
                                          : first + " < " + a + " && " + second + " < " + b;
          place.add_condition(words, text, 3);
        }
      }
    }
  }
}

}  // namespace

namespace {

/// Whether an `if` chooses between two ways to go on: it has an else, or does its part and leaves.
bool has_two_paths(const Place& place, const Statement& control) {
  if (control.inner.size() > 1) return true;
  const Statement* const what = control.inner.empty() ? nullptr : &control.inner.front();
  if (what == nullptr || what->inner.size() < 2) return false;
  const Statement& last = what->inner.back();
  const Token& first = place.code()[last.words.first];
  return last.kind == Statement::Kind::other && (first.is("return") || first.is("continue"));
}

}  // namespace

void vary_conditions(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const std::size_t first = statement->words.first;
    if (!code[first].is("if") || !code[first + 1].is("(")) continue;
    const Part condition{first + 2, place.outline().behind(first + 1) - 1};
    vary_condition(place, condition, !has_two_paths(place, *statement));
    vary_test(place, condition, only_leaves(place, *statement));
  }
  for (std::size_t i = place.function().body + 2; i < place.function().end; ++i) {
    if (!code[i].is("?")) continue;
    std::size_t first = i;
    while (first > place.function().body + 1) {
      const Token& before = code[first - 1];
      // All other operators bind tighter.
      if (before.is("=") || before.is("(") || before.is("return") || before.is(";") ||
          before.is(",") || before.is("{") || before.is("[") || before.is(":") || before.is("?")) {
        break;
      }
      const auto open =
          before.is(")") || before.is("]") ? place.outline().partner(first - 1) : std::nullopt;
      first = open.value_or(first - 1);
    }
    vary_condition(place, {first, i}, false);
  }
}

namespace {

/// Integers that decide where an access leads: those in its index.
std::vector<const Variable*> in_index(const Place& place, Part index) {
  std::vector<const Variable*> found;
  for (std::size_t i = index.first; i < index.end; ++i) {
    const Variable* variable = place.scope().find(i);
    const bool is_new = std::ranges::find(found, variable) == found.end();
    if (variable == nullptr || variable->type != Variable::Type::integer || !is_new) continue;
    found.push_back(variable);
  }
  return found;
}

/// Tests that an access may lack: of one or of two of its integers against a parameter.
std::vector<std::string> tests_of(const Place& place, Part index) {
  std::vector<const Variable*> limits;
  for (const Variable& each : place.scope().variables()) {
    if (each.is_parameter && each.type == Variable::Type::integer) limits.push_back(&each);
  }
  std::vector<std::pair<const Variable*, std::string>> single;
  for (const Variable* variable : in_index(place, index)) {
    for (const Variable* limit : limits) {
      if (variable->is_parameter) continue;
      single.emplace_back(variable, std::string(variable->name) + " < " + std::string(limit->name));
    }
  }
  std::vector<std::string> tests;
  for (const auto& [variable, test] : single) tests.push_back(test);
  for (std::size_t i = 0; i < single.size(); ++i) {
    for (std::size_t k = i + 1; k < single.size(); ++k) {
      if (single[i].first != single[k].first) {
        tests.push_back(single[i].second + " && " + single[k].second);
      }
    }
  }
  return tests;
}

}  // namespace

void vary_guards(Place& place) {
  if (!place.function().is_of_device) return;
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const bool is_simple = statement->kind == Statement::Kind::expression ||
                           statement->kind == Statement::Kind::declaration;
    if (!is_simple || !place.may_vary(statement->words.first)) continue;
    for (std::size_t i = statement->words.first; i + 1 < statement->words.end; ++i) {
      const Variable* matrix = place.scope().find(i);
      if (matrix == nullptr || matrix->type != Variable::Type::pointer || !code[i + 1].is("[")) {
        continue;
      }
      if (place.is_place_wanted(i)) continue;
      const Part access{i, place.outline().behind(i + 1)};
      const bool stores = i == statement->words.first;
      for (const std::string& test : tests_of(place, {i + 2, access.end - 1})) {
        if (!stores) {
          const std::string value = place.words_of(access);
          place.add({.changes = {{Change::Form::expression, access,
                                  test + " ? ::tilewise::simt::as<@>(" + value + ") : @{}"}},
                     .line = code[i].line,
                     .edits = {{access, "(" + test + " ? " + value + " : 0)"}},
                     .cost = 3});
          continue;
        }
        const std::string text = "if (" + test + ") " + place.words_of(statement->words);
        place.add({.changes = {{Change::Form::statement, statement->words, text}},
                   .line = code[i].line,
                   .edits = {{statement->words, text}},
                   .cost = 3});
      }
    }
  }
}

namespace {

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

void vary_initial_values(Place& place) {
  const std::vector<Token>& code = place.code();
  const Variable* previous = nullptr;
  for (const Variable& variable : place.scope().variables()) {
    if (variable.declared < place.function().body) continue;
    const bool has_value = variable.value.end > variable.value.first;
    if (has_value && previous != nullptr && previous->type == variable.type &&
        variable.type == Variable::Type::integer && !says(place, variable.value, previous->name)) {
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
