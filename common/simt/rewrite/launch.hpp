#pragma once

#include <vector>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/rewrite.hpp"

namespace tilewise::simt::rewriting {

/// Turns `kernel<<<configuration>>>(arguments)` into
/// `launcher("kernel", file, line, callable).configure(configuration)(arguments)`.
///
/// The callable is a lambda around the kernel's name, which may stand for several overloads or for
/// a template whose arguments follow from the call; an expression such as `table[i]` is passed as
/// it is, so that it is evaluated once, not by every thread.
void rewrite_launches(const Outline& outline, Edits& edits, std::vector<RewriteError>& errors);

}  // namespace tilewise::simt::rewriting
