#pragma once

#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"

namespace tilewise::simt {

/// Adds remarks on results that are stored in a function's own copy of an argument.
void remark_on_parameters(const rewriting::Outline& outline, std::vector<Remark>& remarks);

}  // namespace tilewise::simt
