#pragma once

#include <cstddef>
#include <optional>

#include "common/simt/rewrite/outline.hpp"

/// What becomes of a variable within a function, by the words of the source alone.
namespace tilewise::simt::rewriting {

/// The bracket that opens the innermost block around a token.
std::optional<std::size_t> block_around(const Outline& outline, std::size_t index);

/// A lambda with a name, `const auto fetch = [&](int k0) { ... };`.
struct Lambda {
  std::size_t name;
  std::size_t body, end;  ///< brackets
};

/// What opens here: the bracket of a lambda's body, with a name or without; else nothing.
bool opens_lambda(const Outline& outline, std::size_t brace);

/// The innermost lambda around a token, if that has a name.
std::optional<Lambda> lambda_around(const Outline& outline, std::size_t index, std::size_t body);

/// Whether a use of a variable stores to it, or takes its address.
bool is_changed_at(const Outline& outline, std::size_t name);

/// Whether a use of a variable may change it, by a function that it is handed to, for instance.
bool may_change(const Outline& outline, std::size_t name);

/// What a variable is made from, where it is declared with a value, and none of its uses may change
/// it: the tokens of `row + i` for `int r = row + i;`. Nothing for parameters, counters and sums.
/// @param name where it is used
/// @param body the bracket that opens the function around it
std::optional<Part> definition_of(const Outline& outline, std::size_t name, std::size_t body);

}  // namespace tilewise::simt::rewriting
