#pragma once

#include <cstddef>
#include <optional>

#include "common/simt/rewrite/outline.hpp"

/// What happens to a variable within a function, judged by the tokens of the source alone.
namespace tilewise::simt::rewriting {

/// Returns the bracket that opens the innermost block around a token.
std::optional<std::size_t> block_around(const Outline& outline, std::size_t index);

/// A lambda with a name, `const auto fetch = [&](int k0) { ... };`.
struct Lambda {
  std::size_t name;
  std::size_t body, end;  ///< its brackets
};

/// Whether a bracket opens the body of a lambda, with a name or without.
bool opens_lambda(const Outline& outline, std::size_t brace);

/// Returns the innermost lambda around a token, if that lambda has a name.
std::optional<Lambda> lambda_around(const Outline& outline, std::size_t index, std::size_t body);

/// Whether a use of a variable stores to it or takes its address.
bool is_changed_at(const Outline& outline, std::size_t name);

/// Whether a use of a variable may change it, for instance in a function that it is passed to.
bool may_change(const Outline& outline, std::size_t name);

/// Returns the initial value of a variable that is declared with one and that none of its uses
/// changes: the tokens of `row + i` for `int r = row + i;`. Returns nothing for parameters,
/// counters and sums.
/// @param name where it is used
/// @param body the bracket that opens the function around it
std::optional<Part> definition_of(const Outline& outline, std::size_t name, std::size_t body);

}  // namespace tilewise::simt::rewriting
