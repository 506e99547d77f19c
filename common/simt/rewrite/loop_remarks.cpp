#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/kinds_of_remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"
#include "common/simt/rewrite/written_loops.hpp"

namespace tilewise::simt {
namespace {

using rewriting::is_set_in;
using rewriting::Outline;
using rewriting::Part;
using rewriting::says;
using rewriting::Token;
using rewriting::TokenKind;
using rewriting::WrittenLoop;

void look_for_unset_counter(const Outline& outline, const WrittenLoop& outer,
                            const WrittenLoop& inner, std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const std::size_t first = inner.condition.first;
  // The condition must be just `col < n`.
  const bool is_plain = inner.condition.end >= first + 3 && code[first].is_name() &&
                        (code[first + 1].is("<") || code[first + 1].is("<="));
  if (!is_plain || says(outline, inner.condition, "&&") || says(outline, inner.condition, "||") ||
      says(outline, inner.condition, "(")) {
    return;
  }
  const std::string_view counter = code[first].text;
  const bool is_counted =
      is_set_in(outline, inner.step, counter) || is_set_in(outline, inner.body, counter);
  // A loop that is left early may be meant to continue later.
  if (!is_counted || says(outline, inner.body, "break") || says(outline, inner.body, "return") ||
      says(outline, inner.body, "goto")) {
    return;
  }
  const Part before{outer.word + 1, inner.word}, behind{inner.body.end, outer.body.end};
  for (std::size_t i = first; i < inner.condition.end; ++i) {
    if (!code[i].is_name()) continue;
    if (is_set_in(outline, before, code[i].text) || is_set_in(outline, behind, code[i].text))
      return;
    if (i > first && is_set_in(outline, inner.body, code[i].text)) return;
  }
  remarks.push_back(
      {Remark::Kind::doubt, code[inner.word].line,
       tr("{0} goes on here where the loop ended the last time: the loop of line {1} around it "
          "never "
          "sets {0} anew, so that this one does nothing after its first turn",
          counter, code[outer.word].line),
       tr("Set {} to its start within the loop of line {}, before the one of line {}.", counter,
          code[outer.word].line, code[inner.word].line)});
}

/// Looks for `for (int k0 = 0; ...; k0 += Tile) { ... k0 % 2 ... }`: the remainder of multiples
/// need not change.
void look_for_remainder_of_multiples(const Outline& outline, const WrittenLoop& loop,
                                     std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto counter = rewriting::counter_of(outline, loop);
  // The step must be `k0 += Tile`, with a single word on the right.
  const std::size_t first = loop.step.first;
  if (!counter || loop.step.end < first + 4 || !code[first].is(code[*counter].text)) return;
  if (!code[first + 1].is("+") || !code[first + 2].is("=") || code[first + 3].is("1")) return;
  const bool is_one_word = first + 4 == loop.step.end || code[first + 4].is(",");
  if (!is_one_word) return;
  // A counter that starts elsewhere, at a thread's own position for instance, is not a multiple.
  const Part start = rewriting::start_of_counter(outline, loop);
  for (std::size_t i = start.first; i < start.end; ++i) {
    if (code[i].is_name() && !code[i].is(code[first + 3].text)) return;
  }
  for (std::size_t i = loop.body.first; i + 2 < loop.body.end; ++i) {
    const bool is_remainder = code[i].is(code[*counter].text) && code[i + 1].is("%") &&
                              (code[i + 2].is("2") || code[i + 2].is("3"));
    if (!is_remainder || code[i - 1].is("*") || code[i - 1].is("/")) continue;
    const std::string_view name = code[i].text, step = code[first + 3].text;
    remarks.push_back(
        {Remark::Kind::doubt, code[i].line,
         tr("{0} goes up by {1} from turn to turn, and {0} % {2} is the same for all multiples of "
            "{2}: it need not change from one turn to the next",
            name, step, code[i + 2].text),
         tr("Count the turns instead: {} / {} % {}.", name, step, code[i + 2].text)});
    return;
  }
}

/// How the code moves the pointers of an array.
struct MovedPointers {
  std::set<std::string_view> numbers;  ///< the indices, written as numbers, of those that move
  bool by_other_index = false;         ///< some are moved by another index, or assigned by a number
  int line = 0;
};

MovedPointers moved_pointers(const Outline& outline, Part part, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  MovedPointers found;
  for (std::size_t i = part.first; i + 4 < part.end; ++i) {
    if (!code[i].is(name) || !code[i + 1].is("[") || !rewriting::is_changed_at(outline, i))
      continue;
    const bool is_number = code[i + 2].kind == TokenKind::number && code[i + 3].is("]");
    const bool is_set = code[outline.behind(i + 1)].is("=");
    if (is_set && !is_number) continue;  // this gives the pointer its first value
    found.by_other_index |= is_set || !is_number;
    found.numbers.insert(code[i + 2].text);
    found.line = code[i].line;
  }
  return found;
}

/// Looks for `const float* a[2];` where `a[0] += Tile` moves only the first.
void look_for_resting_pointers(const Outline& outline, std::size_t name,
                               std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const bool is_array = code[name].kind == TokenKind::identifier && code[name - 1].is("*") &&
                        code[name + 1].is("[") && code[name + 2].kind == TokenKind::number &&
                        code[name + 3].is("]") && code[name + 4].is(";");
  const auto block = is_array ? rewriting::block_around(outline, name) : std::nullopt;
  const auto end = block ? outline.partner(*block) : std::nullopt;
  if (!end) return;
  const MovedPointers moved = moved_pointers(outline, {name + 5, *end}, code[name].text);
  if (moved.by_other_index || moved.numbers.empty()) return;
  const std::string count(code[name + 2].text);
  if (std::to_string(moved.numbers.size()) == count) return;
  std::string told;
  for (const std::string_view number : moved.numbers) {
    told += fmt::format("{}{}[{}]", told.empty() ? "" : ", ", code[name].text, number);
  }
  remarks.push_back({Remark::Kind::doubt, moved.line,
                     tr("of the {} pointers {}, only {} moves on: the others stay where they began",
                        count, code[name].text, told),
                     tr("Move each of them: for (int i = 0; i < {0}; ++i) {1}[i] += ...;", count,
                        code[name].text)});
}

/// Whether a token is `threadIdx`, or a variable whose declaration before it computes with that.
bool is_threads_own(const Outline& outline, std::size_t at) {
  const std::vector<Token>& code = outline.code();
  if (code[at].is("threadIdx")) return true;
  if (!code[at].is_name() || code[at - 1].is(".")) return false;
  for (std::size_t i = at; i-- > 1;) {
    if (!code[i].is(code[at].text) || !code[i + 1].is("=")) continue;
    for (std::size_t j = i + 2; j < at && !code[j].is(";"); ++j) {
      if (code[j].is("threadIdx")) return true;
    }
    return false;
  }
  return false;
}

/// Looks for `for (int k = tx; k < n; k += Tile) { ... __syncthreads(); ... }`, which threads with
/// a larger tx leave a turn earlier than others.
void look_for_threads_that_leave(const Outline& outline, const WrittenLoop& loop,
                                 std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const auto counter = rewriting::counter_of(outline, loop);
  const std::size_t first = loop.condition.first;
  const bool is_plain = counter && loop.condition.end >= first + 3 &&
                        code[first].is(code[*counter].text) && code[first + 1].is("<");
  if (!is_plain || !says(outline, loop.body, "__syncthreads")) return;
  const Part start = rewriting::start_of_counter(outline, loop);
  std::size_t own = start.first;
  while (own < start.end && !is_threads_own(outline, own)) ++own;
  for (std::size_t i = first + 1; i < loop.condition.end; ++i) {
    if (is_threads_own(outline, i)) return;  // each thread may stop where its own part ends
  }
  if (own >= start.end) return;
  std::size_t barrier = loop.body.first;
  while (!code[barrier].is("__syncthreads")) ++barrier;
  const std::string place = code[own].is("threadIdx") && own + 2 < start.end
                                ? fmt::format("threadIdx.{}", code[own + 2].text)
                                : std::string(code[own].text);
  remarks.push_back(
      {Remark::Kind::doubt, code[loop.word].line,
       tr("{0} begins at {1} here, so that threads with a larger {1} may leave the loop a turn "
          "earlier, and do not come to its __syncthreads() on line {2}, nor fill their part of a "
          "tile",
          code[*counter].text, place, code[barrier].line),
       tr("Let the loop count what is the same for all threads, such as the tile's first column, "
          "and add {} where an element is chosen.",
          place)});
}

}  // namespace

void remark_on_loops(const Outline& outline, std::vector<Remark>& remarks) {
  std::vector<WrittenLoop> around;
  for (std::size_t i = 0; i + 2 < outline.code().size(); ++i) {
    if (i > 0 && i + 5 < outline.code().size()) look_for_resting_pointers(outline, i, remarks);
    while (!around.empty() && around.back().body.end <= i) around.pop_back();
    const auto loop = rewriting::loop_at(outline, i);
    if (!loop) continue;
    look_for_remainder_of_multiples(outline, *loop, remarks);
    look_for_threads_that_leave(outline, *loop, remarks);
    if (!around.empty() && !loop->starts_anew) {
      look_for_unset_counter(outline, around.back(), *loop, remarks);
    }
    around.push_back(*loop);
  }
}

}  // namespace tilewise::simt
