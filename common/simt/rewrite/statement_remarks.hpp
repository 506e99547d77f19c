#pragma once

#include <string_view>
#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"

namespace tilewise::simt {

/// Adds remarks on statements that end sooner or later than they seem to: a loop or an `if` whose
/// body is a lone semicolon, and a `case` that falls through to the next; on conditions that store;
/// on unsigned counters and differences that are meant to fall below 0; on loops that step another
/// variable than they compare; on names that hide the ones that are meant; on `=+`; and on
/// functions that are named but not called.
void remark_on_statements(const rewriting::Outline& outline, std::string_view source,
                          std::vector<Remark>& remarks);

/// Adds a doubt on neighbouring statements if two of them take the same value from the right, into
/// different sums or elements of tiles, or twice into one: `c10 += a1 * b.x; c11 += a1 * b.x;`.
void remark_on_copies(const rewriting::Outline& outline, std::string_view source,
                      std::vector<Remark>& remarks);

}  // namespace tilewise::simt
