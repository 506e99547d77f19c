#include "common/simt/rewrite/loop_remarks.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt {
namespace {

using rewriting::Outline;
using rewriting::Part;
using rewriting::Token;

/// The parts of a loop, in tokens.
struct Loop {
  std::size_t word;
  Part condition;
  Part step;  ///< of a `for`; else empty
  Part body;
  bool starts_anew;
};

std::size_t end_of_statement(const Outline& outline, std::size_t first) {
  const std::vector<Token>& code = outline.code();
  std::size_t end = first;
  while (end < code.size() && !code[end].is(";") && !code[end].is("{")) {
    end = outline.behind(end);
  }
  return end < code.size() && code[end].is("{") ? outline.partner(end).value_or(end) : end;
}

std::optional<Loop> loop_at(const Outline& outline, std::size_t word) {
  const std::vector<Token>& code = outline.code();
  const bool is_for = code[word].is("for"), is_while = code[word].is("while");
  if ((!is_for && !is_while) || !code[word + 1].is("(")) return std::nullopt;
  const auto close = outline.partner(word + 1);
  if (!close || *close + 1 >= code.size() || code[*close + 1].is(";")) return std::nullopt;
  const Part body{*close + 1, end_of_statement(outline, *close + 1)};
  if (is_while) return Loop{word, {word + 2, *close}, {*close, *close}, body, false};
  std::vector<std::size_t> ends;
  for (std::size_t i = word + 2; i < *close; ++i) {
    if (code[i].is("(") || code[i].is("[") || code[i].is("{")) i = outline.partner(i).value_or(i);
    if (code[i].is(";")) ends.push_back(i);
  }
  if (ends.size() != 2) return std::nullopt;
  return Loop{word, {ends[0] + 1, ends[1]}, {ends[1] + 1, *close}, body, ends[0] > word + 2};
}

/// Whether a name is stored to or declared among these tokens.
bool is_set_in(const Outline& outline, Part part, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = part.first; i < part.end; ++i) {
    if (code[i].text != name) continue;
    const bool is_declared = code[i - 1].is_name() && !code[i - 1].is("return");
    if (is_declared || rewriting::may_change(outline, i)) return true;
  }
  return false;
}

bool says(const Outline& outline, Part part, std::string_view word) {
  return std::any_of(outline.code().begin() + static_cast<std::ptrdiff_t>(part.first),
                     outline.code().begin() + static_cast<std::ptrdiff_t>(part.end),
                     [&](const Token& token) { return token.is(word); });
}

void look_for_unset_counter(const Outline& outline, const Loop& outer, const Loop& inner,
                            std::vector<Remark>& remarks) {
  const std::vector<Token>& code = outline.code();
  const std::size_t first = inner.condition.first;
  // `col < n`, and no more.
  const bool is_plain = inner.condition.end >= first + 3 && code[first].is_name() &&
                        (code[first + 1].is("<") || code[first + 1].is("<="));
  if (!is_plain || says(outline, inner.condition, "&&") || says(outline, inner.condition, "||") ||
      says(outline, inner.condition, "(")) {
    return;
  }
  const std::string_view counter = code[first].text;
  const bool is_counted =
      is_set_in(outline, inner.step, counter) || is_set_in(outline, inner.body, counter);
  // What leaves the loop early may go on later.
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

}  // namespace

void remark_on_loops(const Outline& outline, std::vector<Remark>& remarks) {
  std::vector<Loop> around;
  for (std::size_t i = 0; i + 2 < outline.code().size(); ++i) {
    while (!around.empty() && around.back().body.end <= i) around.pop_back();
    const auto loop = loop_at(outline, i);
    if (!loop) continue;
    if (!around.empty() && !loop->starts_anew) {
      look_for_unset_counter(outline, around.back(), *loop, remarks);
    }
    around.push_back(*loop);
  }
}

}  // namespace tilewise::simt
