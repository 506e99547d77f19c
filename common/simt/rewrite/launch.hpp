#pragma once

#include <vector>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt::rewriting {

/// Turns `kernel<<<configuration>>>(arguments)` into
/// `TILEWISE_LAUNCHER("kernel", , kernel).configure(configuration)(arguments)`, a macro of
/// include/tilewise/launch.hpp that makes two functions of the name: one that calls it, for it may
/// stand for several overloads or for a template whose arguments follow from the call, and one by
/// which the compiler tells the parameters. An expression such as `table[i]` is passed as it is, so
/// that it is evaluated once, not by every thread.
/// @param in_macro the code is what a macro stands for: arguments may follow where it is used
void rewrite_launches(const Outline& outline, bool in_macro, Edits& edits,
                      std::vector<RewriteError>& errors);

}  // namespace tilewise::simt::rewriting
