#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// What a token stands directly in: a namespace or the file, a class or enumeration, a function.
enum class Scope { file, type, block };

/// From the first token to before the last.
struct Part {
  std::size_t first;
  std::size_t end;
};

/// The tokens without those between `#if 0` and its `#else` or `#endif`: text there need not be
/// C++.
std::vector<Token> without_disabled(const std::vector<Token>& tokens);

/// The code outside preprocessor directives, with its brackets paired. Of alternatives under
/// `#if`, each one is taken to start at the same nesting. Indices are into code().
class Outline {
 public:
  explicit Outline(const std::vector<Token>& tokens);

  const std::vector<Token>& code() const { return code_; }

  /// The other one of a pair of ( ), [ ] or { }; nothing for a bracket that stands alone.
  std::optional<std::size_t> partner(std::size_t bracket) const;

  /// What follows a token or, where it opens brackets, all that stands in them.
  std::size_t behind(std::size_t index) const {
    const std::optional<std::size_t> close = partner(index);
    return close && *close > index ? *close + 1 : index + 1;
  }

  Scope scope(std::size_t index) const { return scopes_[index]; }

  /// The `>` that ends the template argument list starting at `open`; nothing if none does before
  /// the end of the statement.
  std::optional<std::size_t> template_close(std::size_t open) const;

  /// The `<` that starts the template argument list ending at `close`.
  std::optional<std::size_t> template_open(std::size_t close) const;

  /// What commas part between two parentheses.
  std::vector<Part> parts_between(std::size_t open, std::size_t close) const;

  /// Where the parameters and the body of the function begin that a qualifier, as `__global__`, is
  /// of; nothing where it is not defined.
  std::optional<std::pair<std::size_t, std::size_t>> function_after(std::size_t qualifier) const;

  /// True for `alignas`, `__attribute__` and the like: a word whose parentheses belong to it.
  bool takes_parentheses(std::size_t index) const;

 private:
  struct Bracket {
    std::size_t index;
    std::size_t parent;  // in brackets_, as are the next one and open_
    std::size_t brace;   // the innermost { at or around this one
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
