#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/device_code.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace tilewise::simt::rewriting {
namespace {

constexpr std::string_view mark =
    "for (::tilewise::simt::LoopExit tilewise_exit; tilewise_exit.once();) ";

constexpr std::string_view mark_of_pass = "if (::tilewise::simt::note_loop_pass(); false) {} else ";

constexpr std::string_view mark_of_end = " ::tilewise::simt::note_kernel_end(); ";

/// The tokens that may keep a thread from an access that others make in the same pass.
constexpr std::array<std::string_view, 6> choices = {"if", "switch",   "&&",
                                                     "||", "continue", "goto"};

class LoopMarker {
 public:
  LoopMarker(const Outline& outline, Edits& edits)
      : outline_(outline), code_(outline.code()), device_code_(outline), edits_(edits) {}

  void run() {
    find_choices();
    has_barriers_ = std::any_of(code_.begin(), code_.end(), [](const Token& token) {
      return token.text.find("sync") != std::string_view::npos;  // __syncthreads, block.sync()
    });
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const auto end_of_kernel = device_code_.pass(i);
      if (end_of_kernel && has_barriers_) {
        edits_.insert_before(code_[*end_of_kernel], std::string(mark_of_end));
      }
      if (code_[i].is_name() && device_code_.inside()) i = pass_word(i);
    }
  }

 private:
  bool is(std::size_t index, std::string_view text) const {
    return index < code_.size() && code_[index].is(text);
  }

  // Returns the last token that has been dealt with.
  std::size_t pass_word(std::size_t index) {
    const auto& word = code_[index];
    if (word.is("do") && !is(index + 1, "{")) return end_of_do(index);
    const bool is_for = word.is("for") && is(index + 1, "(");
    const bool is_while = word.is("while") && is(index + 1, "(") && !ends_do(index);
    if (is_for || is_while || word.is("do")) {
      edits_.insert_before(word, std::string(mark));
      if (const auto body = body_of(index); body && *body < code_.size()) mark_passes(*body);
    }
    return index;
  }

  std::optional<std::size_t> body_of(std::size_t keyword) const {
    if (code_[keyword].is("do")) return keyword + 1;
    const auto end_of_head = outline_.partner(keyword + 1);
    if (!end_of_head) return std::nullopt;
    return *end_of_head + 1;
  }

  // A body without braces is searched only up to its first `;`.
  void mark_passes(std::size_t body) {
    const auto close = is(body, "{") ? outline_.partner(body) : std::nullopt;
    if (next_choice_[body] < (close ? *close : next_semicolon_[body])) {
      edits_.insert_before(code_[body], std::string(mark_of_pass));
    }
  }

  // Fills tables, because loops may be nested as deep as the file is long, and searching each body
  // would take quadratic time.
  void find_choices() {
    std::size_t choice = code_.size(), semicolon = code_.size();
    next_choice_.resize(code_.size());
    next_semicolon_.resize(code_.size());
    for (std::size_t i = code_.size(); i-- > 0;) {
      if (std::find(choices.begin(), choices.end(), code_[i].text) != choices.end()) choice = i;
      if (code_[i].is(";")) semicolon = i;
      next_choice_[i] = choice;
      next_semicolon_[i] = semicolon;
    }
  }

  // Whether the `while` belongs to a `do { ... }`.
  bool ends_do(std::size_t keyword) const {
    if (!code_[keyword - 1].is("}")) return false;
    const auto open = outline_.partner(keyword - 1);
    return open && *open > 0 && code_[*open - 1].is("do");
  }

  // Returns the `while` of a `do` without braces: the first one that follows a statement, except
  // those of inner do loops. Where there is none, because a macro hides it, returns the end of the
  // block around the loop.
  std::size_t end_of_do(std::size_t keyword) const {
    std::size_t open_loops = 0;
    for (auto i = keyword; i < code_.size(); ++i) {
      if (code_[i].is("do")) ++open_loops;
      const bool follows_statement = i > 0 && (code_[i - 1].is(";") || code_[i - 1].is("}"));
      if (code_[i].is("while") && follows_statement && --open_loops == 0) return i;
      if (const auto partner = outline_.partner(i)) {
        if (*partner < i) return i - 1;
        i = *partner;
      }
    }
    return code_.size() - 1;
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
  DeviceCode device_code_;
  Edits& edits_;
  std::vector<std::size_t> next_choice_, next_semicolon_;  ///< at or behind each token
  bool has_barriers_ = false;
};

}  // namespace

void mark_loop_exits(const Outline& outline, Edits& edits) { LoopMarker(outline, edits).run(); }

namespace {

// The number of copies of a loop's body that "unroll" asks for, where CUDA means all of them. g++
// makes as many copies as it is told even of a loop whose length it does not know, so that its
// largest factor, 65534, takes it minutes. With 16 the accumulators of register tiles become
// registers and the kernel becomes several times as fast; with 32 the largest tiles become slower
// again, to compile and to run.
constexpr int most_copies = 16;

// Returns the unroll factor; nothing for 0 and less, which CUDA ignores. Nothing, too, for an
// expression: g++ 12 accepts no template parameter as a factor, and the value may well be 1, where
// a loop is too long to be copied.
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

  // Whether the code at `next` is a loop. If there are several pragmas before a loop, the last
  // counts.
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
