#pragma once

#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"

namespace tilewise::simt {

/// Adds remarks on statements that end sooner or later than they look: a loop or an `if` whose body
/// is a lone semicolon, and a `case` that goes on with the next; on conditions that store; on loops
/// that step another variable; on names that hide those that are meant; on `=+`; and on functions
/// that are named and not called.
void remark_on_statements(const rewriting::Outline& outline, std::string_view source,
                          std::vector<Remark>& remarks);

/// Adds a doubt on neighbours of which two take the same from the right, into different sums or
/// places of tiles, or twice into one: `c10 += a1 * b.x; c11 += a1 * b.x;`.
void remark_on_copies(const rewriting::Outline& outline, std::string_view source,
                      std::vector<Remark>& remarks);

}  // namespace tilewise::simt
