#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// A condition that must, or must not, hold for a thread to reach a place.
struct Condition {
  enum class Kind { test, loop };
  Kind kind;
  Part words;          ///< `row < n`; each operand of && is a condition of its own
  bool must_not_hold;  ///< it guards `else`, `return`, `continue`, `break` or the second choice of
                       ///< ?:
};

/// Returns the conditions of a function that decide whether a thread reaches a token, in the order
/// of the source: those of each `if`, `for` and `while` around it, of an earlier `if` that leaves,
/// and those before && and ? in its own expression. A variable that is used as a condition is
/// replaced by its initial value. For a token in a lambda's body, only conditions in that body
/// count.
/// @param body the bracket that opens the function around it
std::vector<Condition> conditions_before(const Outline& outline, std::size_t index,
                                         std::size_t body);

}  // namespace tilewise::simt::rewriting
