#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "grading/builder/access_words.hpp"
#include "grading/builder/kinds_of_accounts.hpp"

namespace tilewise::grading {
namespace {

using simt::IndexPart;
using simt::SourceAccess;
using simt::SourceCondition;

/// Returns "Tile" and "Tile + 1" for "float As[Tile][Tile + 1]".
std::vector<std::string> sides_of(const std::string& declaration) {
  std::vector<std::string> sides;
  std::size_t open = declaration.find('[');
  while (open != std::string::npos) {
    const std::size_t close = declaration.find(']', open);
    if (close == std::string::npos) break;
    sides.push_back(declaration.substr(open + 1, close - open - 1));
    open = declaration.find('[', close);
  }
  return sides;
}

/// The bound that a condition compares an index with, if it must hold: "Tile" for `k < Tile`.
struct Bound {
  std::string text;
  bool may_equal = false;
};
std::optional<Bound> bound_of(const SourceCondition& condition, const std::string& index) {
  if (condition.must_not_hold) return std::nullopt;
  const std::string start = index + " <";
  if (!condition.text.starts_with(start)) return std::nullopt;
  const bool may_equal = condition.text.substr(start.size()).starts_with("=");
  const std::size_t first = condition.text.find_first_not_of("= ", start.size());
  if (first == std::string::npos) return std::nullopt;
  return Bound{condition.text.substr(first), may_equal};
}

SourceAccount of_comparison(const SourceAccess& access, const SourceCondition& condition,
                            const std::string& index, const std::string& side) {
  const auto bound = bound_of(condition, index);
  if (!bound) return {};
  if (bound->text == side) {
    if (!bound->may_equal) return {};
    return {tr(" Line {0} lets {1} be {2} itself, and {3} has {2} elements there: 0 is the first, "
               "and {2} - 1 the last.",
               condition.line, index, side, access.array),
            tr("Write < for <= on line {}.", condition.line)};
  }
  return {tr(" {} has {} elements there, and line {} lets {} go up to {}.", access.array, side,
             condition.line, index, bound->text),
          tr("Compare {0} with {1} on line {2}, {0} < {1}, if it counts within {3}. Only if {3} is "
             "to hold more, declare it longer, on line {4}.",
             index, side, condition.line, access.array, access.declaration_line)};
}

/// Explains `As[i * Tile + ty]` for an array that has Tile elements there.
SourceAccount of_multiples(const SourceAccess& access, const std::string& index,
                           const std::string& side) {
  // It must be "i * Tile" or "Tile * i".
  if (!says_word(index, side + " *") && !says_word(index, "* " + side)) return {};
  std::string until;
  for (const SourceCondition& condition : access.conditions) {
    const bool counts = !condition.counter.empty() && says_word(index, condition.counter);
    if (counts) until = tr(", with {} on line {}", condition.text, condition.line);
  }
  return {tr(" {0} has {1} elements there, and {2} counts whole multiples of {1}{3}: the first is "
             "within, and the second begins behind the last element.",
             access.array, side, index, until),
          tr("Declare {} on line {} with as many times {} as are to be stored, or let the index "
             "stay below {}.",
             access.array, access.declaration_line, side, side)};
}

/// Explains `for (int half = Threads; ...) part[t] += part[t + half];`.
SourceAccount of_start(const SourceAccess& access, const SourceCondition& condition,
                       const std::string& index, const std::string& side) {
  const bool begins_there = !condition.counter.empty() && condition.start == side;
  if (!begins_there || !says_word(index, condition.counter)) return {};
  return {tr(" {0} begins at {1} on line {2}, and {3} has {1} elements there: {4} is behind the "
             "last one from the first turn on.",
             condition.counter, side, condition.line, access.array, index),
          tr("Let {0} begin lower on line {1}, so that {2} stays below {3}: where the upper half "
             "is added to the lower one, at {3} / 2.",
             condition.counter, condition.line, index, side)};
}

/// Returns the numbers of "(50 x 70)".
std::optional<std::pair<long, long>> sides_in(const std::string& message) {
  for (std::size_t open = message.find('('); open != std::string::npos;
       open = message.find('(', open + 1)) {
    char* end = nullptr;
    const long rows = std::strtol(message.c_str() + open + 1, &end, 10);
    if (rows <= 0 || std::string_view(end).substr(0, 3) != " x ") continue;
    const long cols = std::strtol(end + 3, &end, 10);
    if (cols > 0 && *end == ')') return std::pair(rows, cols);
  }
  return std::nullopt;
}

}  // namespace

SourceAccount doubt_about_side(const SourceAccess& access, const core::Finding& finding,
                               bool is_it) {
  const std::vector<std::string> sides = sides_of(access.declaration);
  std::size_t bracket = static_cast<std::size_t>(std::max(finding.bracket, 0));
  if (access.memory == SourceAccess::Memory::own) {
    const auto of_type = static_cast<std::size_t>(std::ranges::count(finding.array, '['));
    bracket = of_type >= 1 && of_type <= sides.size() ? sides.size() - of_type + 1 : 0;
  }
  if (bracket == 0 || bracket > sides.size() || bracket > access.brackets.size()) return {};
  const std::string &side = sides[bracket - 1], &index = access.brackets[bracket - 1];
  if (side.empty() || index.empty()) return {};
  for (auto condition = access.conditions.rbegin(); condition != access.conditions.rend();
       ++condition) {
    SourceAccount account = of_start(access, *condition, index, side);
    if (account.message.empty() && is_it) account = of_comparison(access, *condition, index, side);
    if (!account.message.empty()) return account;
  }
  return of_multiples(access, index, side);
}

SourceAccount doubt_about_bounds(const SourceAccess& access, const core::Finding& finding) {
  const auto sides = sides_in(finding.message);
  if (!sides || sides->first == sides->second || access.parts.size() != 2) return {};
  const IndexPart &row = access.parts[0], &col = access.parts[1];
  const bool are_alike = row.tested == IndexPart::Tested::exactly && !row.bound.empty() &&
                         col.tested == IndexPart::Tested::exactly && row.bound == col.bound;
  if (!are_alike) return {};
  return {
      tr(" Its row, {}, and its column, {}, are both compared with {}, and {} has {} rows of {} "
         "elements.",
         row.text, col.text, row.bound, finding.array, sides->first, sides->second),
      tr("One of the two tests of line {} names the wrong side: {} is to be compared with how "
         "many rows {} has, and {} with how long a row is.",
         row.compared_line, row.text, finding.array, col.text)};
}

}  // namespace tilewise::grading
