#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

/// The statements of a function, found from the tokens of the source alone.
namespace tilewise::grading {

using simt::rewriting::Outline;
using simt::rewriting::Part;
using simt::rewriting::Token;

struct Statement {
  enum class Kind {
    expression,   ///< `sum += a * b;`, or a call
    declaration,  ///< `const int row = blockIdx.y * TILE + threadIdx.y;`
    control,      ///< `if`, `for`, `while`, `do`, `switch` with the statements that they govern
    block,        ///< statements in braces
    other,        ///< `return`, `break`, a label, an empty statement
  };
  Kind kind;
  Part words;
  /// For a block or a control the statements directly in it, for others the bodies of lambdas.
  std::vector<Statement> inner = {};
  bool takes_more = false;  ///< more statements may be put beside the inner ones
};

/// The block that a brace opens.
Statement block_at(const Outline& outline, std::size_t brace);

/// Whether tokens, up to a semicolon or a colon, declare a variable.
bool declares(const Outline& outline, Part words);

/// A statement and all statements in it, itself first.
std::vector<const Statement*> with_inner(const Statement& statement);

}  // namespace tilewise::grading
