#pragma once

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Puts `for (LoopExit tilewise_exit; tilewise_exit.once();)` before every loop of device code, so
/// that the run-time learns when a thread has left it. A loop and not a block, because that would
/// need a closing brace, nor an `if`, which would take the `else` of another.
/// Loops whose body makes some choice get `if (note_loop_pass(); false) {} else`
/// before it, so that it learns which pass a thread is in: the rest of that `if` takes no `else`.
///
/// Device code is what stands in braces that `__global__` or `__device__` leads in to. Left alone
/// are what may have to be a constant, and so may hold no LoopExit (`constexpr` functions,
/// initializers of `constexpr` variables), and `do` loops whose body has no braces.
void mark_loop_exits(const Outline& outline, Edits& edits);

}  // namespace tilewise::simt::rewriting
