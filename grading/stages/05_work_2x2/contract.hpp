#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/05_work_2x2/matmul_2x2.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_2x2 =
    CONTRACT(matmul_2x2, square_matrices, "A", "B", "C", "n", "tile");

inline constexpr auto matmul_2x2_strided =
    CONTRACT(matmul_2x2_strided, square_matrices, "A", "B", "C", "n", "tile");

}  // namespace tilewise::grading::contracts
