#pragma once

#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"

namespace tilewise::simt {

/// Adds remarks on inner loops that continue where they ended the last time: `for (; col < n; ...)`
/// and `while (col < n)`, whose counter the outer loop never sets; on `k0 % 2` of a counter that
/// grows by more than 1; and on arrays of pointers of which a loop moves only some.
void remark_on_loops(const rewriting::Outline& outline, std::vector<Remark>& remarks);

}  // namespace tilewise::simt
