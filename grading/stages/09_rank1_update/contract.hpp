#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/09_rank1_update/matmul_rank1.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_two_rows =
    CONTRACT(matmul_two_rows, square_matrices, "A", "B", "C", "n");

inline constexpr auto matmul_two_rows_transposed =
    CONTRACT(matmul_two_rows_transposed, square_matrices, "A", "B", "C", "n");

inline constexpr auto matmul_rank1 = CONTRACT(matmul_rank1, square_matrices, "A", "B", "C", "n");

}  // namespace tilewise::grading::contracts
