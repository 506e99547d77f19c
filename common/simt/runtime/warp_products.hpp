#pragma once

#include <cstdint>

namespace tilewise::simt {

/// D = A B + C of a warp's lanes, each of which has offered the address of its ProductPart.
void multiply_of_warp(const std::uint64_t (&offered)[32], unsigned arrived);

}  // namespace tilewise::simt
