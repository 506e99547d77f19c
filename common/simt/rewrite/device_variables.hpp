#pragma once

#include <string>
#include <vector>

#include "common/simt/rewrite/edits.hpp"
#include "common/simt/rewrite/outline.hpp"

namespace tilewise::simt::rewriting {

/// Marks the declarations of `__device__` and `__constant__` variables, so that the checked build
/// finds them in the module: a page of its own for each, a gap behind it, and what its elements
/// are. On line 7, `__device__ int counter[5];` turns into
///
///     TILEWISE_DEVICE_VARIABLE __device__ int counter[5]; TILEWISE_SHAPE(counter, counter, 7_1)
///
/// (include/tilewise/device_variables.hpp). Of templates' variables and of members the second half
/// is left out, since there is no variable yet, or no place to say it.
/// @param tokens all there are, directives too: a macro may stand for the qualifiers
/// @return what goes in front of the source, on lines of its own: the names of all, and of shared
/// variables at namespace scope; empty where there are none
std::string mark_device_variables(const std::vector<Token>& tokens, const Outline& outline,
                                  Edits& edits);

}  // namespace tilewise::simt::rewriting
