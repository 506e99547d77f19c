// Variants of the order of execution: barriers, and statements at another place.
#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/language.hpp"
#include "grading/repair/variant.hpp"

namespace tilewise::grading {

namespace {

/// The places between statements, each by the token that comes next.
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

constexpr std::string_view block_barrier = "__syncthreads", warp_barrier = "__syncwarp";

bool is_barrier(const Place& place, const Statement& statement) {
  const Token& first = place.code()[statement.words.first];
  return statement.kind == Statement::Kind::expression &&
         (first.is(block_barrier) || first.is(warp_barrier));
}

/// Inserts barriers, leaves them out and moves them.
void vary_barriers_of(Place& place, std::string_view barrier) {
  const std::string call = std::string(barrier) + "();";
  const std::vector<std::size_t> places = gaps(place);
  for (const std::size_t gap : places) {
    place.add({.changes = {{Change::Form::insertion, {gap, gap}, call}},
               .line = place.code()[gap].line,
               .edits = {{{gap, gap}, call}},
               .words = tr("put a {} {}", call, words_before(place, gap)),
               .is_of_barrier = true,
               .loops = loops_around(place, gap),
               .cost = 2});
  }
  for (const Statement* statement : with_inner(place.body())) {
    if (!is_barrier(place, *statement)) continue;
    if (!place.code()[statement->words.first].is(barrier)) continue;
    const Change left_out{Change::Form::statement, statement->words, ""};
    const int line = place.code()[statement->words.first].line;
    place.add({.changes = {left_out},
               .line = line,
               .edits = {{statement->words, ";"}},
               .words = tr("leave out the {} on line {}", call, line),
               .is_of_barrier = true,
               .cost = 3});
    for (const std::size_t gap : places) {
      if (gap == statement->words.first || gap == statement->words.end) continue;
      place.add({.changes = {left_out, {Change::Form::insertion, {gap, gap}, call}},
                 .line = line,
                 .edits = {{statement->words, ";"}, {{gap, gap}, call}},
                 .words = tr("move the {} from line {}: {}", call, line, words_before(place, gap)),
                 .is_of_barrier = true,
                 .loops = loops_around(place, gap),
                 .cost = 4});
    }
  }
}

/// Lets a block wait where a warp does.
void widen_barriers(Place& place) {
  const std::string call = std::string(block_barrier) + "();";
  for (const Statement* statement : with_inner(place.body())) {
    const Part words = statement->words;
    if (!is_barrier(place, *statement) || !place.code()[words.first].is(warp_barrier)) continue;
    place.add({.changes = {{Change::Form::statement, words, call}},
               .line = place.code()[words.first].line,
               .edits = {{words, call}},
               .is_of_barrier = true,
               .loops = loops_around(place, words.first),
               .cost = 1});
  }
}

}  // namespace

void vary_barriers(Place& place) {
  if (!place.function().is_of_device) return;
  const auto calls = [&](std::string_view name) {
    const auto& [first, end] = place.body().words;
    return std::any_of(place.code().begin() + std::ptrdiff_t(first),
                       place.code().begin() + std::ptrdiff_t(end),
                       [&](const Token& token) { return token.is(name); });
  };
  widen_barriers(place);
  if (calls("__shared__") || calls(block_barrier)) vary_barriers_of(place, block_barrier);
  if (calls(warp_barrier)) vary_barriers_of(place, warp_barrier);
}

namespace {

/// Leaves statements out, and moves them past their neighbours, into a neighbouring loop or `if`,
/// or out of the one around them.
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
          // Behind a return nothing runs.
          if (place_.code()[parent.inner[k].words.first].is("return")) break;
          move(statement, parent.inner[k].words.end);
        }
        if (parent.takes_more && i + 1 < parent.inner.size()) {
          into(statement, parent.inner[i + 1], false);
        }
        if (parent.takes_more && i > 0) into(statement, parent.inner[i - 1], true);
        if (grandparent != nullptr) out_of(statement, *grandparent);
      }
      if (i + 1 < parent.inner.size() && grandparent != nullptr) {
        both_out_of(statement, parent.inner[i + 1], *grandparent);
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

  /// Whether host code chooses between functions, as by `if (n < 256) return small<8>(A, n);`.
  bool chooses(const Statement& statement) const {
    const std::vector<Token>& code = place_.code();
    if (place_.function().is_of_device || !code[statement.words.first].is("if")) return false;
    for (std::size_t i = statement.words.first; i + 2 < statement.words.end; ++i) {
      const bool calls = code[i + 1].is_name() && (code[i + 2].is("(") || code[i + 2].is("<"));
      if (code[i].is("return") && calls) return true;
    }
    return false;
  }

  void leave_out(const Statement& statement) {
    if (chooses(statement)) return;  // that would hide a mistake in what is chosen, and not mend it
    const int line = place_.code()[statement.words.first].line;
    place_.add({.changes = {{Change::Form::statement, statement.words, ""}},
                .line = line,
                .edits = {{statement.words, ";"}},
                .words = tr("leave out '{}' on line {}", place_.words_of(statement.words), line),
                .cost = 4});
  }

  /// Whether a statement may stand at a place, and can use all of its variables there.
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
                     words_before(place_, gap)),
         .cost = 3});
  }

  /// Moves a statement to the begin or the end of the blocks of a neighbouring loop or `if`.
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

  /// Moves two neighbours behind the loop around them, such as two pointers that move on.
  void both_out_of(const Statement& first, const Statement& second, const Statement& loop) {
    const bool is_loop =
        place_.code()[loop.words.first].is("for") || place_.code()[loop.words.first].is("while");
    if (!is_loop || !can_move(first) || !can_move(second)) return;
    if (!fits(first, loop.words.end) || !fits(second, loop.words.end)) return;
    const std::string both = place_.words_of(first.words) + " " + place_.words_of(second.words);
    const std::size_t gap = loop.words.end;
    const int line = place_.code()[first.words.first].line;
    place_.add({.changes = {{Change::Form::statement, first.words, ""},
                            {Change::Form::statement, second.words, ""},
                            {Change::Form::insertion, {gap, gap}, both}},
                .line = line,
                .edits = {{first.words, ";"}, {second.words, ";"}, {{gap, gap}, both}},
                .words = tr("move '{}' from line {}: {}", both, line, words_before(place_, gap)),
                .cost = 3});
  }

  Place& place_;
  std::vector<std::size_t> gaps_;
};

}  // namespace

void vary_order(Place& place) { Mover(place).visit(place.body(), nullptr); }

}  // namespace tilewise::grading
