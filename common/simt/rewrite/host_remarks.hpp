#pragma once

#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"
#include "common/simt/rewrite/tokenizer.hpp"

namespace tilewise::simt {

/// Adds remarks on the arguments that host code passes to CUDA: launches whose grid or block does
/// not have the extents that the kernel reads, extents that are lost or that are rounded down
/// before they are rounded up, numbers of bytes, and arguments that are freed.
/// @param tokens the tokens of the source, directives included; outline is made of them
void remark_on_host_code(const std::vector<rewriting::Token>& tokens,
                         const rewriting::Outline& outline, std::vector<Remark>& remarks);

}  // namespace tilewise::simt
