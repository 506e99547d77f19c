#pragma once

#include "grading/stages/matrices.hpp"
#include "labs/06_work_rx_ry/matmul_rx_ry.hpp"

namespace tilewise::grading::contracts {

inline constexpr auto matmul_rx_ry =
    CONTRACT(matmul_rx_ry, square_matrices, "A", "B", "C", "n", "tile", "rx", "ry");

inline constexpr auto matmul_strided =
    CONTRACT(matmul_strided, square_matrices, "A", "B", "C", "n", "tile", "results");

inline constexpr auto matmul_auto = CONTRACT(matmul_auto, square_matrices, "A", "B", "C", "n");

}  // namespace tilewise::grading::contracts
