#include "grading/repair/nearness.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "common/simt/rewrite/variables.hpp"
#include "grading/repair/constants.hpp"
#include "grading/repair/scope.hpp"

namespace tilewise::grading {
namespace {

/// The most steps, from a variable to what computes it, that are counted from the lines that
/// findings name. All lines beyond count as equally far.
constexpr int most_steps = 2;

/// A function that calls which come right use, too, is less likely to be at fault: changes in it
/// count as this many steps further away.
constexpr int steps_to_what_is_right_elsewhere = 2;

/// The lines that use a matrix, or a pointer that begins in it.
std::set<int> lines_of(const std::string& matrix, const SourceText& source) {
  const std::vector<Token>& code = source.outline.code();
  std::set<int> lines;
  for (const WrittenFunction& function : source.functions) {
    if (!function.is_of_device || matrix.empty()) continue;
    const Scope scope(source.outline, function, block_at(source.outline, function.body));
    std::set<std::string_view> names = {matrix};
    for (const Variable& variable : scope.variables()) {
      if (variable.type != Variable::Type::pointer) continue;
      for (std::size_t i = variable.value.first; i < variable.value.end; ++i) {
        if (names.contains(code[i].text)) names.insert(variable.name);
      }
    }
    for (std::size_t i = function.body; i < function.end; ++i) {
      if (names.contains(code[i].text)) lines.insert(code[i].line);
    }
  }
  return lines;
}

/// The lines that declare or change the variables used on other lines, and those of the short
/// functions called there.
std::set<int> lines_making(const std::map<int, int>& lines, const SourceText& source) {
  constexpr int short_lines = 8;
  const std::vector<Token>& code = source.outline.code();
  std::set<int> found;
  for (const OuterConstant& constant : outer_constants(source.outline)) {
    const auto uses_it = [&](const Token& token) {
      return token.is(constant.name) && lines.contains(token.line);
    };
    if (std::ranges::any_of(code, uses_it)) found.insert(code[constant.value.first].line);
  }
  for (const WrittenFunction& function : source.functions) {
    const Scope scope(source.outline, function, block_at(source.outline, function.body));
    std::set<const Variable*> used;
    std::set<std::string_view> called;
    for (std::size_t i = function.body; i < function.end; ++i) {
      if (!lines.contains(code[i].line)) continue;
      if (const Variable* const variable = scope.find(i)) used.insert(variable);
      if (code[i].is_name() && code[i + 1].is("(")) called.insert(code[i].text);
    }
    for (std::size_t i = function.body; i < function.end; ++i) {
      const Variable* const variable = scope.find(i);
      if (variable == nullptr || !used.contains(variable)) continue;
      if (simt::rewriting::is_changed_at(source.outline, i)) found.insert(code[i].line);
    }
    for (const Variable* variable : used) found.insert(code[variable->declared].line);
    for (const WrittenFunction& other : source.functions) {
      const int first = code[other.body].line, last = code[other.end].line;
      if (!called.contains(other.name) || last - first > short_lines) continue;
      for (int line = first; line <= last; ++line) found.insert(line);
    }
  }
  return found;
}

}  // namespace

std::map<int, int> steps_in(const SourceText& source, const RepairRequest& request,
                            std::set<std::string, std::less<>> right) {
  std::map<int, int> steps;
  for (const int line : request.lines) steps.emplace(line, 0);
  for (const int line : lines_of(request.matrix, source)) steps.emplace(line, 1);
  for (int step = 1; step <= most_steps; ++step) {
    for (const int line : lines_making(steps, source)) steps.emplace(line, step);
  }
  const std::vector<Token>& code = source.outline.code();
  right = functions_reached(source, std::move(right));
  std::set<int> also_right;
  for (const WrittenFunction& function : source.functions) {
    if (!right.contains(function.name)) continue;
    for (int line = code[function.body].line; line <= code[function.end].line; ++line) {
      also_right.insert(line);
    }
  }
  for (const int line : also_right) {
    steps.emplace(line, most_steps + 1).first->second += steps_to_what_is_right_elsewhere;
  }
  return steps;
}

namespace {

/// The number of variants of each kind and cost.
using Crowds = std::map<std::pair<std::size_t, int>, std::size_t>;

double distance(const Variant& variant, const RepairRequest& request,
                const std::map<int, int>& steps, const Crowds& crowds) {
  if (variant.takes_one_path) return 0;  // changes of its condition are judged by the result
  const bool is_expected = request.is_of_barriers && variant.is_of_barrier;
  const auto [first, last] = request.racing;
  const bool is_between = is_expected && variant.line > first && variant.line <= last;
  const auto step = steps.find(variant.line);
  const int apart = is_between ? 0 : step == steps.end() ? most_steps + 1 : step->second;
  if (is_expected) return 1 + (is_between ? 2 : 4) * variant.loops + apart;
  if (variant.cost == 0) return apart;
  const std::size_t crowd = crowds.at({variant.kind, variant.cost});
  return std::log2(double(crowd)) + 2 * variant.cost + apart;
}

bool is_same(const Variant& a, const Variant& b) {
  return a.takes_one_path == b.takes_one_path &&
         std::ranges::equal(a.edits, b.edits, [](const Rewording& one, const Rewording& other) {
           return one.words.first == other.words.first && one.words.end == other.words.end &&
                  one.text == other.text;
         });
}

}  // namespace

void sort_by_likelihood(std::vector<Variant>& variants, const RepairRequest& request,
                        const std::map<int, int>& steps) {
  Crowds crowds;
  for (const Variant& variant : variants) ++crowds[{variant.kind, variant.cost}];
  for (Variant& variant : variants) variant.distance = distance(variant, request, steps, crowds);
  std::ranges::stable_sort(variants, {}, &Variant::distance);
  std::map<std::size_t, std::vector<Variant>> by_place;
  std::erase_if(variants, [&](const Variant& variant) {
    if (variant.edits.empty()) return false;
    std::vector<Variant>& before = by_place[variant.edits.front().words.first];
    if (std::ranges::any_of(before, [&](const auto& one) { return is_same(one, variant); })) {
      return true;
    }
    before.push_back(variant);
    return false;
  });
}

}  // namespace tilewise::grading
