#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/07_transpose/transpose.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto transpose_naive =
    CONTRACT(transpose_naive, transpose_matrices, "out", "in", "rows", "cols");

inline constexpr auto transpose_tiled =
    CONTRACT(transpose_tiled, transpose_matrices, "out", "in", "rows", "cols");

inline constexpr auto transpose_padded =
    CONTRACT(transpose_padded, transpose_matrices, "out", "in", "rows", "cols");

inline constexpr auto transpose_diagonal =
    CONTRACT(transpose_diagonal, transpose_matrices, "out", "in", "rows", "cols");

}  // namespace tilewise::grading::contracts
