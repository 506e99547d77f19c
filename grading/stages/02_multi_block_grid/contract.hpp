#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/02_multi_block_grid/matmul_grid.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_grid =
    CONTRACT(matmul_grid, square_matrices, "A", "B", "C", "n", "block");

}  // namespace tilewise::grading::contracts
