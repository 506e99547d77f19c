#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/rewrite/outline.hpp"

/// The statements of a function, by the words of the source alone.
namespace tilewise::grading {

using simt::rewriting::Outline;
using simt::rewriting::Part;
using simt::rewriting::Token;

struct Statement {
  enum class Kind {
    expression,   ///< `sum += a * b;`, a call among them
    declaration,  ///< `const int row = blockIdx.y * TILE + threadIdx.y;`
    control,      ///< `if`, `for`, `while`, `do` with what they decide on
    block,        ///< in braces
    other,        ///< `return`, `break`, a label, an empty one
  };
  Kind kind;
  Part words;
  /// Of a block and a control the statements directly in it, of others the bodies of lambdas.
  std::vector<Statement> inner = {};
  bool takes_more = false;  ///< more statements may stand beside those in it
};

/// The block that a bracket opens.
Statement block_at(const Outline& outline, std::size_t brace);

/// Whether words, up to a semicolon or a colon, declare a variable.
bool declares(const Outline& outline, Part words);

/// All statements in one, itself first.
std::vector<const Statement*> with_inner(const Statement& statement);

}  // namespace tilewise::grading
