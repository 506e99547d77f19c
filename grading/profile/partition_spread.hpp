#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// How blocks that are on the GPU at the same time share the DRAM partitions, for loads or stores.
struct PartitionUse {
  /// Such blocks take as long as their busiest partition. So many partitions, all as busy as that
  /// one, would move as much in that time: 8 where each has its share, 1 where all blocks that are
  /// there together want the same one (partition camping). Over the whole launch.
  double busy = simt::dram_partitions;

  // Of the blocks that share them worst.
  std::uint64_t first_block = 0;
  std::vector<int> partitions = {};  ///< that they use at all
  int busiest = 0;                   ///< one of them
  double busiest_share = 0;          ///< of the bytes they move
};

struct PartitionSpread {
  std::uint64_t blocks_at_a_time = 0;  ///< that the GPU holds
  PartitionUse loads;
  PartitionUse stores;
};

/// Blocks start in the order of their numbers, and are taken for on the GPU together where as many
/// as it holds follow each other; fewer at the end of the grid are left out. What a block moves is
/// taken together, so that a grid which the GPU holds whole always looks well spread, in whatever
/// order its blocks walk over the matrix.
///
/// @return nothing where the GPU's partitions are not known, where some blocks stood for others,
/// and where no kernel of that kind can run
std::optional<PartitionSpread> spread_over_partitions(const KernelProfile& kernel,
                                                      const core::GpuProfile& gpu);

}  // namespace tilewise::grading
