#include "grading/repair/statements.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/simt/rewrite/variables.hpp"

namespace tilewise::grading {
namespace {

/// Reads statements one after another, with those of lambdas in them. It stops early at text that
/// is no C++.
class StatementReader {
 public:
  explicit StatementReader(const Outline& outline) : outline_(outline), code_(outline.code()) {}

  Statement read_block(std::size_t brace) const {
    const std::size_t close = outline_.partner(brace).value_or(brace);
    Statement block{Statement::Kind::block, {brace, close + 1}};
    block.takes_more = true;
    for (std::size_t at = brace + 1; at < close;) {
      block.inner.push_back(read(at, close));
      at = block.inner.back().words.end;
    }
    return block;
  }

  Statement::Kind kind_of(Part words) const {
    static constexpr auto leaving =
        std::to_array<std::string_view>({"return", "break", "continue", "goto", "case", "default",
                                         "using", "typedef", "asm", "static_assert", ";"});
    const Token& first = code_[words.first];
    if (std::ranges::find(leaving, first.text) != leaving.end()) return Statement::Kind::other;
    if (!first.is_name()) return Statement::Kind::expression;
    // A declaration consists of a type and a name behind it, perhaps with * or & between them.
    std::size_t next = words.first + 1;
    while (next + 1 < words.end && code_[next].is("::")) next += 2;
    if (code_[next].is("<")) {
      const auto close = outline_.template_close(next);
      if (close && *close + 1 < words.end && code_[*close + 1].is_name()) {
        return Statement::Kind::declaration;
      }
    }
    if (code_[next].is_name()) return Statement::Kind::declaration;
    const bool has_star = code_[next].is("*") || code_[next].is("&");
    while (next < words.end && (code_[next].is("*") || code_[next].is("&") ||
                                code_[next].is("const") || code_[next].is("__restrict__"))) {
      ++next;
    }
    const bool is_declared = has_star && next + 1 < words.end && code_[next].is_name() &&
                             (code_[next + 1].is("=") || code_[next + 1].is(";") ||
                              code_[next + 1].is(":") || code_[next + 1].is("["));
    return is_declared ? Statement::Kind::declaration : Statement::Kind::expression;
  }

 private:
  Statement read(std::size_t at, std::size_t limit) const {
    static constexpr auto with_condition =
        std::to_array<std::string_view>({"if", "for", "while", "switch"});
    const Token& first = code_[at];
    if (first.is("{")) return read_block(at);
    if (first.is("do")) return read_do(at, limit);
    if (std::ranges::find(with_condition, first.text) != with_condition.end()) {
      return read_control(at, limit);
    }
    const std::size_t end = end_of_simple(at, limit);
    Statement simple{kind_of({at, end}), {at, end}};
    for (std::size_t i = at; i < end; ++i) {
      if (!code_[i].is("{") || !simt::rewriting::opens_lambda(outline_, i)) continue;
      simple.inner.push_back(read_block(i));
      i = outline_.behind(i) - 1;
    }
    return simple;
  }

  Statement read_control(std::size_t at, std::size_t limit) const {
    Statement control{Statement::Kind::control, {at, limit}};
    std::size_t next = at + 1;
    while (next < limit && !code_[next].is("(")) ++next;  // `if constexpr (`
    next = std::min(outline_.behind(next), limit);
    if (next >= limit) return control;
    control.inner.push_back(read(next, limit));
    next = control.inner.back().words.end;
    if (code_[at].is("if") && next < limit && code_[next].is("else") && next + 1 < limit) {
      control.inner.push_back(read(next + 1, limit));
      next = control.inner.back().words.end;
    }
    control.words.end = next;
    return control;
  }

  Statement read_do(std::size_t at, std::size_t limit) const {
    Statement control{Statement::Kind::control, {at, limit}};
    if (at + 1 >= limit) return control;
    control.inner.push_back(read(at + 1, limit));
    control.words.end = end_of_simple(control.inner.back().words.end, limit);
    return control;
  }

  std::size_t end_of_simple(std::size_t at, std::size_t limit) const {
    while (at < limit && !code_[at].is(";")) {
      // A label ends here.
      if (code_[at].is(":") && (code_[at - 1].is("default") || is_case_before(at))) return at + 1;
      at = outline_.behind(at);
    }
    return std::min(at + 1, limit);
  }

  bool is_case_before(std::size_t colon) const {
    for (std::size_t i = colon; i-- > 0 && colon - i < 4;) {
      if (code_[i].is("case")) return true;
      if (code_[i].is(";") || code_[i].is("{") || code_[i].is("?")) return false;
    }
    return false;
  }

  const Outline& outline_;
  const std::vector<Token>& code_;
};

void append(const Statement& statement, std::vector<const Statement*>& all) {
  all.push_back(&statement);
  for (const Statement& each : statement.inner) append(each, all);
}

}  // namespace

Statement block_at(const Outline& outline, std::size_t brace) {
  return StatementReader(outline).read_block(brace);
}

bool declares(const Outline& outline, Part words) {
  return StatementReader(outline).kind_of(words) == Statement::Kind::declaration;
}

std::vector<const Statement*> with_inner(const Statement& statement) {
  std::vector<const Statement*> all;
  append(statement, all);
  return all;
}

}  // namespace tilewise::grading
