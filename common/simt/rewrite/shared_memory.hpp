#pragma once

#include <vector>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt::rewriting {

/// Turns `__shared__` variables into references to the running block's shared memory.
///
/// A declaration's own text, whatever its type and bounds, becomes a structure's members; only the
/// names are picked out of it. On line 7, `__shared__ float As[T][T];` turns into
///
///     struct tilewise_shared_7_1 { float As[T][T]; };
///     auto& tilewise_block_7_1 = ::tilewise::simt::shared<tilewise_shared_7_1>();
///     auto& As = tilewise_block_7_1.As; ::tilewise::simt::name_shared(As, "As");
///
/// without a line break, and `extern __shared__ float s[];` into
///
///     auto& s = ::tilewise::simt::dynamic_shared<float>("s");
///
/// Lambdas that name one capture it: `[=]` becomes `[=, &As]`.
///
/// At namespace scope both are `static thread_local`, because each of the simulator's threads runs
/// a block of its own; they are not named there, for want of a block to name them in.
/// @param in_macro the code is what a macro stands for, in a kernel. Its names, which may be the
///   macro's parameters, make those of the structures.
void rewrite_shared_memory(const Outline& outline, bool in_macro, Edits& edits,
                           std::vector<RewriteError>& errors);

}  // namespace tilewise::simt::rewriting
