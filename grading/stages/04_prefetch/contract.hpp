#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/04_prefetch/matmul_prefetch.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_prefetch_register =
    CONTRACT(matmul_prefetch_register, square_matrices, "A", "B", "C", "n", "tile");

inline constexpr auto matmul_prefetch_shared =
    CONTRACT(matmul_prefetch_shared, square_matrices, "A", "B", "C", "n", "tile");

}  // namespace tilewise::grading::contracts
