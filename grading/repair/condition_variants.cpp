// Variants of conditions and guards.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/written_loops.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {
namespace {

/// The operands that && or || joins at the outermost level.
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

/// Leaves out one of several tests, or joins them by the other operator.
void vary_joined(Place& place, Part words) {
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
}

void vary_condition(Place& place, Part words, bool may_be_left_out) {
  if (words.first >= words.end || !place.may_vary(words.first)) return;
  if (declares(place.outline(), {words.first, words.end + 1})) return;
  vary_joined(place, words);
  place.add_condition(words, "!(" + place.words_of(words) + ")", 2);
  if (may_be_left_out) {
    // It is reported rather than a change of the condition that would make it always hold.
    const int line = place.code()[words.first].line;
    place.add({.changes = {{Change::Form::condition, words, "true"}},
               .line = line,
               .edits = {{words, "true"}},
               .words = tr("on line {} leave out the condition '{}', so that what it decides on is "
                           "done in any case",
                           line, place.words_of(words)),
               .cost = 0});
  } else {
    place.add_paths(words);
  }
}

/// Lets a loop with a barrier end in the same iteration for all threads, although its counter
/// begins at a place of the thread's own: `k - tx < n` for `k < n`.
void vary_end_for_all(Place& place, std::size_t word) {
  const auto loop = simt::rewriting::loop_at(place.outline(), word);
  if (!loop || !simt::rewriting::says(place.outline(), loop->body, "__syncthreads")) return;
  const Part start = simt::rewriting::start_of_counter(place.outline(), *loop);
  const Part condition = loop->condition;
  const auto counter = simt::rewriting::counter_of(place.outline(), *loop);
  const bool is_plain = counter && start.first < start.end && condition.first < condition.end &&
                        place.code()[condition.first].text == place.code()[*counter].text;
  if (!is_plain || whole_number(place.code()[start.first]) || !place.may_vary(condition.first)) {
    return;
  }
  const std::string own = place.words_of(start);
  place.add_condition(condition,
                      place.words_of({condition.first, condition.first + 1}) + " - " +
                          (start.end - start.first == 1 ? own : "(" + own + ")") + " " +
                          place.words_of({condition.first + 1, condition.end}),
                      1);
}

/// Whether an `if` does nothing but leave the function, or the iteration of a loop.
bool only_leaves(const Place& place, const Statement& control) {
  const Statement* what = control.inner.empty() ? nullptr : &control.inner.front();
  while (what != nullptr && what->kind == Statement::Kind::block && what->inner.size() == 1) {
    what = &what->inner.front();
  }
  if (what == nullptr || what->kind != Statement::Kind::other) return false;
  const Token& first = place.code()[what->words.first];
  return first.is("return") || first.is("continue");
}

/// Replaces a test by a comparison of one or two integers with a parameter.
/// @param leaves whether threads for which the test holds leave, because they have nothing to do
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
  for (const std::string& a : limits) {
    for (const std::string& one : integers) {
      place.add_condition(words, one + (leaves ? " >= " : " < ") + a, 3);
    }
  }
  for (std::size_t i = 0; i < integers.size(); ++i) {
    for (std::size_t k = i + 1; k < integers.size(); ++k) {
      for (const std::string& a : limits) {
        for (const std::string& b : limits) {
          // Their order is that of the declarations; `integers` has them the other way round.
          const std::string &first = integers[k], &second = integers[i];
          const std::string text = leaves ? first + " >= " + a + " || " + second + " >= " + b
                                          : first + " < " + a + " && " + second + " < " + b;
          place.add_condition(words, text, 3);
        }
      }
    }
  }
}

/// Whether an `if` chooses between two paths: it has an else, or its block does some work and then
/// leaves.
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
    vary_end_for_all(place, first);
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
      // All other operators bind more tightly than ?:.
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
  // An initial value may be a condition, too:
  // `const bool ragged = rows % tile != 0 || cols % tile != 0;`
  for (const Variable& variable : place.scope().variables()) {
    const Part value = variable.value;
    if (value.first >= place.function().body && value.first < value.end &&
        place.may_vary(value.first)) {
      vary_joined(place, value);
    }
  }
}

namespace {

/// The counter and the step of each loop that takes several elements per iteration.
std::vector<std::pair<std::string, std::string>> steps_of_loops(const Place& place) {
  const std::vector<Token>& code = place.code();
  std::vector<std::pair<std::string, std::string>> steps;
  for (const Statement* statement : with_inner(place.body())) {
    const std::size_t open = statement->words.first + 1;
    if (!code[open - 1].is("for") || !code[open].is("(")) continue;
    const std::size_t close = place.outline().behind(open) - 1;
    std::size_t first = close;
    while (first > open && !code[first - 1].is(";")) --first;
    const bool is_one = first + 3 < close && code[first].is_name() && code[first + 1].is("+") &&
                        code[first + 2].is("=");
    if (is_one) steps.emplace_back(code[first].text, place.words_of({first + 3, close}));
  }
  return steps;
}

/// Adds to a condition, or puts in place of one of its tests, the test that a step is whole, which
/// a path for whole steps may lack: `k0 + Tile <= n`.
void vary_whole_steps(Place& place, Part words) {
  const std::vector<Variable>& variables = place.scope().variables();
  for (const auto& [counter, step] : steps_of_loops(place)) {
    const bool is_seen =
        std::ranges::any_of(place.scope().seen_at(words.first),
                            [&](const Variable* each) { return each->name == counter; });
    if (!is_seen) continue;
    for (const Variable& limit : variables) {
      if (!limit.is_parameter || limit.type != Variable::Type::integer) continue;
      const std::string test = counter + " + " + step + " <= " + std::string(limit.name);
      const std::string given = place.words_of(words);
      if (given.find(test) != given.npos) continue;
      place.add_condition(words, given + " && " + test, 1, true);
      place.add_condition(words, test, 3, true);
      std::vector<Part> all = joined_by(place, words, "&&");
      for (std::size_t i = 0; i < all.size() && all.size() > 1; ++i) {
        place.add_condition(words, joined(place, all, " && ", i) + " && " + test, 2, true);
      }
    }
  }
}

/// The number of elements of the widest vector type that a function names; 0: it names none.
int width_of_vectors(const Place& place) {
  int width = 0;
  for (std::size_t i = place.function().body; i < place.function().end; ++i) {
    for (const auto& [name, elements] : {std::pair("float2", 2), {"double2", 2}, {"float4", 4}}) {
      if (place.code()[i].is(name)) width = std::max(width, elements);
    }
  }
  return width;
}

/// Adds a test that the condition of a wide access may lack: rows are aligned for such an access
/// only if their length is a multiple of its width.
void vary_widths_of_rows(Place& place, Part words) {
  int width = place.function().is_of_device ? width_of_vectors(place) : 0;
  for (std::size_t i = words.first; i + 1 < words.end; ++i) {
    // The host may choose between two kernels: `const bool in_fours = cols % 4 == 0;`
    const auto divisor = place.code()[i].is("%") ? whole_number(place.code()[i + 1]) : std::nullopt;
    const bool is_of_vectors = divisor == 2 || divisor == 4;
    if (is_of_vectors) width = static_cast<int>(*divisor);
  }
  const std::string given = place.words_of(words);
  const bool is_whole = joined_by(place, words, "||").size() == 1;
  if (width == 0 || !is_whole) return;
  for (const Variable& length : place.scope().variables()) {
    if (!length.is_parameter || length.type != Variable::Type::integer) continue;
    const std::string test = std::string(length.name) + " % " + std::to_string(width) + " == 0";
    if (given.find(test) == given.npos) place.add_condition(words, given + " && " + test, 1, true);
  }
}

}  // namespace

void vary_fast_paths(Place& place) {
  const std::vector<Token>& code = place.code();
  for (const Statement* statement : with_inner(place.body())) {
    const std::size_t first = statement->words.first;
    if (!code[first].is("if") || !code[first + 1].is("(") || !place.may_vary(first)) continue;
    const Part condition{first + 2, place.outline().behind(first + 1) - 1};
    if (declares(place.outline(), {condition.first, condition.end + 1})) continue;
    vary_whole_steps(place, condition);
    vary_widths_of_rows(place, condition);
  }
  for (const Variable& variable : place.scope().variables()) {
    const Part value = variable.value;
    const bool is_test = code[variable.declared - 1].is("bool") && value.first < value.end &&
                         value.first >= place.function().body && place.may_vary(value.first);
    if (is_test) vary_widths_of_rows(place, value);
  }
}

}  // namespace tilewise::grading
