#include "common/simt/rewrite/written_loops.hpp"

#include <algorithm>

#include "common/simt/rewrite/tokenizer.hpp"
#include "common/simt/rewrite/variables.hpp"

namespace tilewise::simt::rewriting {
namespace {

std::size_t end_of_statement(const Outline& outline, std::size_t first) {
  const std::vector<Token>& code = outline.code();
  std::size_t end = first;
  while (end < code.size() && !code[end].is(";") && !code[end].is("{")) {
    end = outline.behind(end);
  }
  return end < code.size() && code[end].is("{") ? outline.partner(end).value_or(end) : end;
}

}  // namespace

std::optional<WrittenLoop> loop_at(const Outline& outline, std::size_t word) {
  const std::vector<Token>& code = outline.code();
  const bool is_for = code[word].is("for"), is_while = code[word].is("while");
  if ((!is_for && !is_while) || !code[word + 1].is("(")) return std::nullopt;
  const auto close = outline.partner(word + 1);
  if (!close || *close + 1 >= code.size() || code[*close + 1].is(";")) return std::nullopt;
  const Part body{*close + 1, end_of_statement(outline, *close + 1)};
  if (is_while) {
    return WrittenLoop{word, {*close, *close}, {word + 2, *close}, {*close, *close}, body, false};
  }
  std::vector<std::size_t> ends;
  for (std::size_t i = word + 2; i < *close; ++i) {
    if (code[i].is("(") || code[i].is("[") || code[i].is("{")) i = outline.partner(i).value_or(i);
    if (code[i].is(";")) ends.push_back(i);
  }
  if (ends.size() != 2) return std::nullopt;
  return WrittenLoop{word, {word + 2, ends[0]}, {ends[0] + 1, ends[1]}, {ends[1] + 1, *close},
                     body, ends[0] > word + 2};
}

std::vector<WrittenLoop> loops_around(const Outline& outline, std::size_t index, std::size_t body) {
  std::vector<WrittenLoop> found;
  const auto lambda = lambda_around(outline, index, body);
  for (std::size_t i = lambda ? lambda->body : body; i < index; ++i) {
    const auto loop = loop_at(outline, i);
    if (loop && loop->body.first <= index && index < loop->body.end) found.push_back(*loop);
  }
  return found;
}

std::optional<std::size_t> counter_of(const Outline& outline, const WrittenLoop& loop) {
  for (std::size_t i = loop.start.first; i + 1 < loop.start.end; ++i) {
    if (outline.code()[i].is_name() && outline.code()[i + 1].is("=")) return i;
  }
  return std::nullopt;
}

Part start_of_counter(const Outline& outline, const WrittenLoop& loop) {
  const auto counter = counter_of(outline, loop);
  if (!counter) return {loop.start.end, loop.start.end};
  std::size_t end = *counter + 2;
  while (end < loop.start.end && !outline.code()[end].is(",")) end = outline.behind(end);
  return {*counter + 2, std::min(end, loop.start.end)};
}

bool is_set_in(const Outline& outline, Part part, std::string_view name) {
  const std::vector<Token>& code = outline.code();
  for (std::size_t i = part.first; i < part.end; ++i) {
    if (code[i].text != name) continue;
    const bool is_declared = code[i - 1].is_name() && !code[i - 1].is("return");
    if (is_declared || may_change(outline, i)) return true;
  }
  return false;
}

bool says(const Outline& outline, Part part, std::string_view word) {
  return std::any_of(outline.code().begin() + static_cast<std::ptrdiff_t>(part.first),
                     outline.code().begin() + static_cast<std::ptrdiff_t>(part.end),
                     [&](const Token& token) { return token.is(word); });
}

}  // namespace tilewise::simt::rewriting
