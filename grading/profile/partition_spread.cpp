#include "grading/profile/partition_spread.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "grading/profile/kernel_occupancy.hpp"

namespace tilewise::grading {
namespace {

using Runs = std::span<const simt::PartitionBytes>;
using OfPartitions = std::array<std::uint64_t, simt::dram_partitions>;

/// Bytes by partition. Not integers: a forged reply can name some whose sum is too large for those.
using Bytes = std::array<double, simt::dram_partitions>;

Bytes add_up(Runs group, OfPartitions simt::PartitionBytes::*kind) {
  Bytes total = {};
  for (const simt::PartitionBytes& run : group) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += double((run.*kind)[i]);
  }
  return total;
}

double sum_of(const Bytes& bytes) {
  double sum = 0;
  for (const double of_partition : bytes) sum += of_partition;
  return sum;
}

void describe(const Bytes& bytes, std::uint64_t first_block, PartitionUse& use) {
  const auto busiest = std::ranges::max_element(bytes);
  use.first_block = first_block;
  use.busiest = int(busiest - bytes.begin());
  use.busiest_share = *busiest / sum_of(bytes);
  use.partitions.clear();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] > 0) use.partitions.push_back(int(i));
  }
}

/// @param groups of runs, each on the GPU at the same time
PartitionUse use_of(const std::vector<Runs>& groups, std::uint64_t blocks_a_group,
                    OfPartitions simt::PartitionBytes::*kind) {
  PartitionUse use;
  double moved = 0, busiest_moved = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Bytes bytes = add_up(groups[i], kind);
    const double sum = sum_of(bytes), most = *std::ranges::max_element(bytes);
    if (sum == 0) continue;
    moved += sum;
    busiest_moved += most;
    if (most / sum > use.busiest_share) describe(bytes, i * blocks_a_group, use);
  }
  if (moved > 0) use.busy = moved / busiest_moved;
  return use;
}

/// Groups of so many runs; without those at the end that fill no group.
std::vector<Runs> groups_of(Runs runs, std::size_t runs_a_group) {
  std::vector<Runs> groups;
  for (; runs.size() >= runs_a_group; runs = runs.subspan(runs_a_group)) {
    groups.push_back(runs.first(runs_a_group));
  }
  return groups;
}

}  // namespace

std::optional<PartitionSpread> spread_over_partitions(const KernelProfile& kernel,
                                                      const core::GpuProfile& gpu) {
  if (kernel.partitions_by_run.empty()) return std::nullopt;
  const theory::Occupancy occupancy = occupancy_of(kernel, gpu, 0);
  if (occupancy.active_blocks <= 0) return std::nullopt;
  const auto held = std::uint64_t(occupancy.active_blocks) * std::uint64_t(gpu.sms);
  const std::uint64_t runs_a_group = std::max<std::uint64_t>(1, held / kernel.blocks_a_run);
  const auto groups = groups_of(kernel.partitions_by_run, runs_a_group);
  const std::uint64_t blocks_a_group = runs_a_group * kernel.blocks_a_run;
  return PartitionSpread{.blocks_at_a_time = blocks_a_group,
                         .loads = use_of(groups, blocks_a_group, &simt::PartitionBytes::loads),
                         .stores = use_of(groups, blocks_a_group, &simt::PartitionBytes::stores)};
}

}  // namespace tilewise::grading
