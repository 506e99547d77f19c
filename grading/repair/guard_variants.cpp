// Variants of what is done only under a condition: accesses that none guards, and values that a
// guarded load leaves as they were.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/rewrite/written_loops.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

namespace {

/// The integer variables in an access's index, which decide where it leads.
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

/// The tests that an access may lack: comparisons of one or two of its integers with a parameter.
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

/// Whether an element, or a value, of a variable may be set to 0.
bool holds_numbers(const Variable& variable) {
  static constexpr auto numbers = std::to_array<std::string_view>({"float ", "double ", "int "});
  return variable.type == Variable::Type::real || variable.type == Variable::Type::integer ||
         (variable.type == Variable::Type::array &&
          std::ranges::find(numbers, variable.base) != numbers.end());
}

/// Returns what an `if` without an else loads a value into, as in `if (row < n) a[i] = A[row];`:
/// `a[i]`. Nothing if the value, or whether it is loaded, depends on what stands there.
std::optional<Part> target_of_guard(const Place& place, const Statement& guard) {
  const std::vector<Token>& code = place.code();
  if (!code[guard.words.first].is("if") || guard.inner.size() != 1) return std::nullopt;
  const Statement* what = &guard.inner.front();
  while (what->kind == Statement::Kind::block && what->inner.size() == 1)
    what = &what->inner.front();
  if (what->kind != Statement::Kind::expression) return std::nullopt;
  const Part words = what->words;
  std::size_t equals = words.first;
  while (equals < words.end && !code[equals].is("=")) equals = place.outline().behind(equals);
  const bool assigns = equals > words.first && equals < words.end && ends_operand(code[equals - 1]);
  const Variable* variable = place.scope().find(words.first);
  if (!assigns || variable == nullptr || variable->is_parameter) return std::nullopt;
  const std::string_view name = variable->name;
  const bool depends =
      simt::rewriting::says(place.outline(), {guard.words.first, words.first}, name) ||
      simt::rewriting::says(place.outline(), {equals, words.end}, name);
  if (depends || !holds_numbers(*variable)) return std::nullopt;
  return Part{words.first, equals};
}

}  // namespace

void vary_left_values(Place& place) {
  if (!place.function().is_of_device) return;
  const std::vector<Token>& code = place.code();
  for (const Statement* around : with_inner(place.body())) {
    // Loads that stand together belong to one step, and all of them need it.
    std::string zeros;
    std::size_t gap = 0;
    const auto put = [&] {
      if (!zeros.empty() && around->takes_more && place.may_vary(gap)) {
        place.add({.changes = {{Change::Form::insertion, {gap, gap}, zeros}},
                   .line = code[gap].line,
                   .edits = {{{gap, gap}, zeros}},
                   .words = tr("put '{}' {}", zeros, words_before(place, gap)),
                   .cost = 2});
      }
      zeros.clear();
    };
    for (const Statement& statement : around->inner) {
      const auto target = target_of_guard(place, statement);
      if (!target) {
        put();
        continue;
      }
      if (zeros.empty()) gap = statement.words.first;
      zeros += (zeros.empty() ? "" : " ") + place.words_of(*target) + " = 0;";
    }
    put();
  }
}

}  // namespace tilewise::grading
