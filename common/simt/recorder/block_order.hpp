#pragma once

#include <cstdint>
#include <vector>

namespace tilewise::simt {

/// A function's control flow: by block, where it goes on. Block 0 is the entry, and blocks are
/// numbered by their addresses.
using ControlFlow = std::vector<std::vector<std::uint32_t>>;

/// An order of a function's blocks in which each comes behind all that lead to it within one pass
/// of the loops around it, and a loop's blocks come one after the other. Lanes of a warp of which
/// those in the first block go first meet where the ways that they took meet.
///
/// By block its path: where each loop around it stands, from the outside in, and at last where it
/// stands itself. Paths compare as sequences, and no two things stand at one number.
using BlockPaths = std::vector<std::vector<std::uint32_t>>;

/// Where a loop is left for good. Blocks on the way there belong to it: `if (found) { x = a[k];
/// break; }` loads in the pass that finds, not when all lanes are through with the loop.
using Marks = std::vector<bool>;

/// @param ends by block: a loop's end is marked where it begins
/// @param room by block: how many numbers it takes, at least 1
BlockPaths order_blocks(const ControlFlow& flow, const Marks& ends,
                        const std::vector<std::uint32_t>& room);

}  // namespace tilewise::simt
