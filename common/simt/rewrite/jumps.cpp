#include "common/simt/rewrite/jumps.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tilewise::simt::rewriting {
namespace {

constexpr auto no_brace = static_cast<std::size_t>(-1);

/// Jumps out of one block may pass a declaration in the next, and so on.
constexpr int most_moves = 16;

}  // namespace

Jumps::Jumps(const Outline& outline) : outline_(outline), code_(outline.code()) { find_jumps(); }

void Jumps::find_jumps() {
  std::vector<std::size_t> open{no_brace};
  std::unordered_map<std::string_view, std::vector<std::size_t>> labels;
  std::vector<std::size_t> gotos;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const Token& token = code_[i];
    if (token.is("}") && open.size() > 1 && outline_.partner(i) == open.back()) open.pop_back();
    braces_.push_back(open.back());
    if (token.is("{") && outline_.partner(i)) open.push_back(i);
    if (i + 1 == code_.size()) continue;
    const Token& next = code_[i + 1];
    if (token.is("goto")) gotos.push_back(i);
    if (token.is("case") || (token.is("default") && next.is(":"))) switch_labels_.push_back(i);
    const bool starts = i > 0 && (code_[i - 1].is(";") || code_[i - 1].is("{") ||
                                  code_[i - 1].is("}") || code_[i - 1].is(":"));
    if (starts && token.kind == TokenKind::identifier && next.is(":")) {
      labels[token.text].push_back(i);
    }
  }
  // Another function's label of that name is in no block that a goto shares with a declaration.
  for (const std::size_t from : gotos) {
    if (from + 1 == code_.size()) continue;
    const auto& all = labels[code_[from + 1].text];
    const auto after = std::lower_bound(all.begin(), all.end(), from);
    if (after != all.end()) gotos_.push_back({from, *after});
    if (after != all.begin()) gotos_.push_back({from, *std::prev(after)});
  }
}

bool Jumps::is_switch(std::size_t brace) const {
  if (brace == no_brace || brace == 0 || !code_[brace - 1].is(")")) return false;
  const auto open = outline_.partner(brace - 1);
  return open && *open > 0 && code_[*open - 1].is("switch");
}

// Not a namespace's, where another function may have a label of that name.
bool Jumps::is_in_function(std::size_t brace) const {
  return brace != no_brace && outline_.scope(brace + 1) == Scope::block;
}

std::optional<std::size_t> Jumps::end_of_scope(std::size_t brace) const {
  return brace == no_brace ? std::nullopt : outline_.partner(brace);
}

// A `case` of the switch whose body starts at `brace`.
bool Jumps::has_label_behind(std::size_t brace, std::size_t index) const {
  const std::size_t end = end_of_scope(brace).value_or(0);
  auto label = std::upper_bound(switch_labels_.begin(), switch_labels_.end(), index);
  for (; label != switch_labels_.end() && *label < end; ++label) {
    auto inner = braces_[*label];
    while (inner != no_brace && !is_switch(inner)) inner = braces_[inner];
    if (inner == brace) return true;
  }
  return false;
}

// The innermost { that is `brace` or around it, and around the token, too.
std::size_t Jumps::common_brace(std::size_t brace, std::size_t index) const {
  while (brace != no_brace && (index < brace || index > outline_.partner(brace).value_or(0))) {
    brace = braces_[brace];
  }
  return brace;
}

/// Of the statement directly in a block that holds the token.
std::size_t Jumps::statement_start(std::size_t brace, std::size_t index) const {
  std::size_t start = brace + 1;
  for (std::size_t i = start; i < index; ++i) {
    bool ends = code_[i].is(";");
    if (code_[i].is("{") || code_[i].is("(") || code_[i].is("[")) {
      const auto close = outline_.partner(i);
      if (!close || *close >= index) break;
      ends = code_[i].is("{");
      i = *close;
    }
    // What is before an else belongs to its statement.
    if (ends && i + 1 < code_.size() && !code_[i + 1].is("else")) start = i + 1;
  }
  return start;
}

std::optional<std::size_t> Jumps::place_before(const Declaration& declaration) const {
  if (gotos_.empty() && switch_labels_.empty()) return std::nullopt;
  std::size_t at = declaration.first;
  std::size_t brace = braces_[at];
  for (int i = 0; i < most_moves && brace != no_brace; ++i) {
    if (is_switch(brace) && has_label_behind(brace, at)) {
      const std::size_t outer = braces_[brace];
      if (outer == no_brace) break;
      at = statement_start(outer, brace);
      brace = outer;
      continue;
    }
    const std::size_t end = end_of_scope(brace).value_or(0);
    const auto passes = [&](const Goto& jump) {
      return jump.to > at && jump.to < end && (jump.from < at || jump.from > end) &&
             is_in_function(common_brace(brace, jump.from));
    };
    const auto jump = std::find_if(gotos_.begin(), gotos_.end(), passes);
    if (jump == gotos_.end()) break;
    const std::size_t outer = common_brace(brace, jump->from);
    at = statement_start(outer, std::min(jump->from, at));
    brace = outer;
  }
  return at == declaration.first ? std::nullopt : std::optional(at);
}

}  // namespace tilewise::simt::rewriting
