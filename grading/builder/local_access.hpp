#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "grading/builder/kernel_types.hpp"

namespace tilewise::grading {

/// Whether a declaration in the dump is of an array without an extent, or of none.
bool is_unsized(std::string_view declaration);

/// Whether a statement of the dump accesses a local variable with an index that nothing bounds: by
/// another type than the variable's own and too large a one, or in an array of no elements.
/// Indices into all other arrays are checked when they are used (-fsanitize=bounds-strict).
bool may_leave_a_local(std::string_view statement,
                       const std::set<std::string, std::less<>>& unsized_locals,
                       const KernelTypes& types);

}  // namespace tilewise::grading
