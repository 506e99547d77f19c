#pragma once

#include <optional>

#include "common/gpu/gpu_profile.hpp"
#include "common/theory/occupancy.hpp"

namespace tilewise::theory {

/// What a launch would have to be for an SM to hold at least one block more of it than it does: the
/// same, with as much as then fits of what ran out. Where warps ran out together with something
/// else, the block becomes smaller first. Nothing where the launch cannot run, or where an SM holds
/// no more blocks whatever they take.
/// @throws std::invalid_argument as occupancy()
std::optional<LaunchNeeds> for_one_block_more(const core::GpuProfile& gpu,
                                              const LaunchNeeds& launch);

}  // namespace tilewise::theory
