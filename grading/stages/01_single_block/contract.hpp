#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/01_single_block/matmul_single_block.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_single_block =
    CONTRACT(matmul_single_block, square_matrices, "A", "B", "C", "n", "block");

}  // namespace tilewise::grading::contracts
