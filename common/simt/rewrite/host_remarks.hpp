#pragma once

#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {

/// Adds remarks on what host code asks CUDA for: launches whose grid or block has other extents
/// than the kernel asks for, extents that are lost or rounded before they are rounded up, numbers
/// of bytes, and arguments that are freed.
/// @param tokens of the source, with those of directives; outline is theirs
void remark_on_host_code(const std::vector<rewriting::Token>& tokens,
                         const rewriting::Outline& outline, std::vector<Remark>& remarks);

}  // namespace tilewise::simt
