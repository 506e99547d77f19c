#pragma once

#include <vector>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt::rewriting {

/// Turns `#pragma unroll`, with or without a number, and `_Pragma("unroll")` into
/// `#pragma GCC unroll`, which g++ and clang know. One that stands before no loop is dropped, as
/// nvcc ignores it there, while a host compiler stops.
void rewrite_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

/// Takes them all away, for where a mark comes between each pragma and its loop.
void drop_unroll_pragmas(const std::vector<Token>& tokens, Edits& edits);

}  // namespace tilewise::simt::rewriting
