#pragma once

#include <cstdint>

#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

struct ProductPart;

// What a warp's lanes do together, each of which has offered the address of its part of it
// (common/simt/include/tilewise/warp_matrices.hpp).

/// D = A B + C.
void multiply_of_warp(const std::uint64_t (&offered)[32], unsigned arrived);

/// ldmatrix: each lane gets its words of the rows that others have read.
void hand_rows_round_warp(const std::uint64_t (&offered)[32], unsigned arrived);

/// What a product is, by any lane's part of it.
WarpProduct product_of_warp(std::uint64_t offered);

/// D = A B + D of halves, bfloat16 or tf32, as tensor cores of compute capability 9.0 have it bit
/// by bit: products are exact, aligned to the largest exponent among them and the addend, cut off
/// 25 bits behind its point, added up, and the sum is cut off to a float. docs/decisions/0054.
/// @param a  m x k, row by row
/// @param b  k x n, column by column
/// @param d  m x n, row by row
void tensor_sums(const ProductPart& of, const float* a, const float* b, float* d);

}  // namespace tilewise::simt
