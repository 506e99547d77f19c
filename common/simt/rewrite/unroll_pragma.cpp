#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

// How many copies of a loop's body "unroll" asks for, where CUDA means all of them. g++ makes as
// many copies as it is told even of a loop whose length it does not know, so that its largest
// factor, 65534, takes it minutes. With 16 the accumulators of register tiles become registers
// and the kernel several times as fast; 32 makes the largest tiles slower again, to compile and to
// run.
constexpr int most_copies = 16;

// The factor to ask for; nothing for 0 and less, which CUDA ignores. Nothing, too, for an
// expression: g++ 12 takes no template parameter as a factor, and it may well be 1, where a loop is
// too long to be copied.
std::optional<int> unroll_factor(std::span<const Token> argument) {
  if (argument.size() >= 2 && argument.front().is("(") && argument.back().is(")")) {
    argument = argument.subspan(1, argument.size() - 2);
  }
  const bool is_negative = argument.size() == 2 && argument.front().is("-");
  if (is_negative) return std::nullopt;
  if (argument.empty()) return most_copies;
  if (argument.size() != 1 || argument.front().kind != TokenKind::number) return std::nullopt;
  const auto digits = argument.front().text;
  int value = most_copies;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (value == 0) return std::nullopt;
  return std::min(value, most_copies);
}

enum class Unrolling { kept, dropped };

class UnrollRewriter {
 public:
  UnrollRewriter(const std::vector<Token>& tokens, Unrolling unrolling, Edits& edits)
      : tokens_(tokens), unrolling_(unrolling), edits_(edits) {}

  void run() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is_unroll_directive(i)) rewrite_directive(i);
      if (is_pragma_operator(i)) rewrite_operator(i);
    }
  }

 private:
  bool is(std::size_t index, std::string_view text) const {
    return index < tokens_.size() && tokens_[index].is(text);
  }

  bool is_unroll_directive(std::size_t hash) const {
    return is_directive_start(hash) && is(hash + 1, "pragma") && is(hash + 2, "unroll") &&
           tokens_[hash + 2].directive == tokens_[hash].directive;
  }

  bool is_pragma_operator(std::size_t index) const {
    return is(index, "_Pragma") && is(index + 1, "(") && index + 2 < tokens_.size() &&
           tokens_[index + 2].kind == TokenKind::string && is(index + 3, ")");
  }

  std::size_t directive_end(std::size_t first) const {
    auto end = first;
    while (end < tokens_.size() && tokens_[end].directive == tokens_[first].directive) ++end;
    return end;
  }

  void rewrite_directive(std::size_t hash) {
    constexpr std::size_t words = 3;  // # pragma unroll
    const auto end = directive_end(hash);
    const auto argument = hash + words;
    const auto factor = unroll_factor(std::span(tokens_).subspan(argument, end - argument));
    if (unrolling_ == Unrolling::dropped || !factor || !loop_follows(end)) {
      erase(hash, end);
      return;
    }
    edits_.replace(tokens_[argument - 1], "GCC unroll " + std::to_string(*factor));
    erase(argument, end);
  }

  void rewrite_operator(std::size_t first) {
    const auto end = first + 4;  // _Pragma ( "..." )
    const auto& literal = tokens_[first + 2];
    if (literal.text.size() < 2 || literal.text.front() != '"') return;
    const auto words = tokenize(literal.text.substr(1, literal.text.size() - 2));
    if (words.empty() || !words.front().is("unroll")) return;
    const auto factor = unroll_factor(std::span(words).subspan(1));
    const bool ends_macro = literal.directive != 0 &&
                            (end == tokens_.size() || tokens_[end].directive != literal.directive);
    if (unrolling_ == Unrolling::dropped || !factor || !(ends_macro || loop_follows(end))) {
      erase(first, end);
      return;
    }
    edits_.replace(literal, "\"GCC unroll " + std::to_string(*factor) + '"');
  }

  // Whether the code at `next` is a loop. Of several pragmas before one the last counts.
  bool loop_follows(std::size_t next) const {
    while (next < tokens_.size() && is_directive_start(next) && !is_unroll_directive(next)) {
      next = directive_end(next);
    }
    return is(next, "for") || is(next, "while") || is(next, "do");
  }

  bool is_directive_start(std::size_t index) const {
    return tokens_[index].directive != 0 &&
           (index == 0 || tokens_[index - 1].directive != tokens_[index].directive);
  }

  void erase(std::size_t first, std::size_t end) {
    for (auto i = first; i < end; ++i) edits_.erase(tokens_[i]);
  }

  const std::vector<Token>& tokens_;
  Unrolling unrolling_;
  Edits& edits_;
};

}  // namespace

void rewrite_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits) {
  UnrollRewriter(tokens, Unrolling::kept, edits).run();
}

void drop_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits) {
  UnrollRewriter(tokens, Unrolling::dropped, edits).run();
}

}  // namespace tilewise::simt::rewriting
