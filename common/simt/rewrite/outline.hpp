#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// The kind of the innermost scope around a token: a namespace or the file, a class or enumeration,
/// a function.
enum class Scope { file, type, block };

/// A range of tokens, without the one at `end`.
struct Part {
  std::size_t first;
  std::size_t end;
};

/// Returns the tokens without those between `#if 0` and its `#else` or `#endif`, because the text
/// there need not be C++.
std::vector<Token> without_disabled(const std::vector<Token>& tokens);

/// The code outside preprocessor directives, with its brackets paired. Each branch of an `#if` is
/// taken to start at the same nesting depth. Indices refer to code().
class Outline {
 public:
  explicit Outline(const std::vector<Token>& tokens);

  const std::vector<Token>& code() const { return code_; }

  /// Returns the other bracket of a pair ( ), [ ] or { }; nothing for a bracket without a partner.
  std::optional<std::size_t> partner(std::size_t bracket) const;

  /// Returns the index behind a token or, if the token opens brackets, behind the closing one.
  std::size_t behind(std::size_t index) const {
    const std::optional<std::size_t> close = partner(index);
    return close && *close > index ? *close + 1 : index + 1;
  }

  Scope scope(std::size_t index) const { return scopes_[index]; }

  /// Returns the `>` that ends the template argument list starting at `open`; nothing if none does
  /// before the end of the statement.
  std::optional<std::size_t> template_close(std::size_t open) const;

  /// Returns the `<` that starts the template argument list ending at `close`; nothing if there is
  /// none.
  std::optional<std::size_t> template_open(std::size_t close) const;

  /// Returns the parts between two parentheses, which commas separate.
  std::vector<Part> parts_between(std::size_t open, std::size_t close) const;

  /// Returns the opening brackets of the parameters and the body of the function that a qualifier,
  /// such as `__global__`, belongs to; nothing if the function is not defined there.
  std::optional<std::pair<std::size_t, std::size_t>> function_after(std::size_t qualifier) const;

  /// Whether a token is a word whose parentheses belong to it, such as `alignas` or
  /// `__attribute__`.
  bool takes_parentheses(std::size_t index) const;

 private:
  struct Bracket {
    std::size_t index;
    std::size_t parent;  // an index into brackets_, as are brace and open_
    std::size_t brace;   // the innermost { at or around this bracket
    Scope inside;
  };

  void add(const Token& token);
  void open_bracket(std::size_t index);
  void close_bracket(std::size_t index);
  Scope scope_opened_by(std::size_t brace) const;
  Scope current_scope() const;

  std::vector<Token> code_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> partners_;
  std::vector<Bracket> brackets_;
  std::size_t open_;
  std::size_t statement_begin_ = 0;
};

}  // namespace tilewise::simt::rewriting
