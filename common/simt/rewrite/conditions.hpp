#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// What must hold, or must not, for a thread to come to a place.
struct Condition {
  enum class Kind { test, loop };
  Kind kind;
  Part words;          ///< `row < n`; of several that && joins each is one
  bool must_not_hold;  ///< it stands before `else`, `return`, `continue` or the second choice of ?:
};

/// The conditions of a function that decide whether a thread comes to a token, in the order of the
/// source: of each `if`, `for` and `while` around it, of an `if` before it that leaves, and in its
/// own expression those before && and ?. A condition that is a variable is what that is made from.
/// Of a lambda's body those that stand in it.
/// @param body the bracket that opens the function around it
std::vector<Condition> conditions_before(const Outline& outline, std::size_t index,
                                         std::size_t body);

}  // namespace tilewise::simt::rewriting
