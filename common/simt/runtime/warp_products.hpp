#pragma once

#include <cstdint>

#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

struct ProductPart;

// Operations that the lanes of a warp perform together. Each lane has offered the address of its
// part of the operands (common/simt/include/tilewise/warp_matrices.hpp).

/// Computes D = A B + C.
void multiply_of_warp(const std::uint64_t (&offered)[32], unsigned arrived);

/// Performs ldmatrix: each lane gets its words of the rows that other lanes have read.
void hand_rows_round_warp(const std::uint64_t (&offered)[32], unsigned arrived);

/// Whether a warp performs such an operation only as a whole.
/// @param source the lane that a lane asks for, or a WarpFold
bool needs_all_lanes(int source);

/// Returns the kind of a product, as described by any lane's part of it.
WarpProduct product_of_warp(std::uint64_t offered);

/// Computes D = A B + D for halves, bfloat16 or tf32, bit by bit as the tensor cores of compute
/// capability 9.0 do: the exact products are aligned to the largest exponent among them and the
/// addend, cut off 25 bits behind the binary point, and added up, and the sum is cut off to a
/// float. See docs/decisions/0054.
/// @param a  m x k, row by row
/// @param b  k x n, column by column
/// @param d  m x n, row by row
void tensor_sums(const ProductPart& of, const float* a, const float* b, float* d);

}  // namespace tilewise::simt
