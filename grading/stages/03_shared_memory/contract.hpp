#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/03_shared_memory/matmul_shared.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_shared =
    CONTRACT(matmul_shared, square_matrices, "A", "B", "C", "n", "tile");

}  // namespace tilewise::grading::contracts
