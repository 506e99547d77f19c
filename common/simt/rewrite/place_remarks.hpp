#pragma once

#include <vector>

#include "common/simt/rewrite/outline.hpp"
#include "common/simt/rewrite/remarks.hpp"

namespace tilewise::simt {

/// Adds remarks on a thread's position that mixes two axes, or scales an index by the wrong extent:
/// `blockIdx.x * gridDim.x`, `threadIdx.y * blockDim.y + threadIdx.x`, `blockIdx.x * (blockDim.x +
/// threadIdx.x)`, `for (row = threadIdx.y; ...; row += blockDim.x)`.
void remark_on_places(const rewriting::Outline& outline, std::vector<Remark>& remarks);

}  // namespace tilewise::simt
