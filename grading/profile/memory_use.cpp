#include "grading/profile/memory_use.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "grading/profile/modelled_time.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

double efficiency_pct(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t sectors = counters.*kind.sectors;
  if (sectors == 0) return 100;
  return 100.0 * static_cast<double>(counters.*kind.bytes) /
         (static_cast<double>(sectors) * sector_bytes);
}

double sectors_per_request(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t requests = counters.*kind.requests;
  if (requests == 0) return 0;
  return static_cast<double>(counters.*kind.sectors) / static_cast<double>(requests);
}

std::uint64_t fewest_sectors(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t for_bytes = (counters.*kind.bytes + sector_bytes - 1) / sector_bytes;
  return std::max(counters.*kind.requests, for_bytes);
}

std::uint64_t scattered_sectors(const simt::Counters& counters, const AccessKind& kind) {
  const std::uint64_t fewest = fewest_sectors(counters, kind);
  return std::max(counters.*kind.sectors, fewest) - fewest;
}

MemoryUse add_up(const std::vector<KernelProfile>& profiles) {
  MemoryUse use;
  std::map<std::pair<std::string, int>, simt::Counters> by_line;
  for (const KernelProfile& profile : profiles) {
    add(use.total, profile.counters);
    for (const simt::LineCounters& line : profile.lines) {
      add(by_line[{line.file, line.line}], line.counters);
    }
  }
  for (const auto& [place, counters] : by_line) {
    use.lines.push_back({place.first, place.second, counters});
  }
  return use;
}

namespace {

void count_atomics_as_accesses(simt::Counters& c) {
  c.global_load_requests += c.global_atomic_requests;
  c.global_store_requests += c.global_atomic_requests;
  c.global_load_sectors += c.global_atomic_sectors;
  c.global_store_sectors += c.global_atomic_sectors;
  c.global_load_transactions += c.global_atomic_transactions;
  c.global_store_transactions += c.global_atomic_transactions;
  c.global_load_bytes += c.global_atomic_bytes;
  c.global_store_bytes += c.global_atomic_bytes;
  c.global_load_lane_bytes += c.global_atomic_lane_bytes;
  c.global_store_lane_bytes += c.global_atomic_lane_bytes;
  c.shared_load_requests += c.shared_atomic_requests;
  c.shared_load_requests_merged += c.shared_atomic_requests;
  c.shared_store_requests += c.shared_atomic_requests;
  c.shared_load_wavefronts += c.shared_atomic_wavefronts;
  c.shared_load_wavefronts_merged += c.shared_atomic_wavefronts;
  c.shared_store_wavefronts += c.shared_atomic_wavefronts;
}

}  // namespace

std::vector<KernelProfile> with_atomics_as_accesses(std::vector<KernelProfile> profiles) {
  for (KernelProfile& profile : profiles) {
    count_atomics_as_accesses(profile.counters);
    for (simt::LineCounters& line : profile.lines) count_atomics_as_accesses(line.counters);
  }
  return profiles;
}

std::vector<KernelUse> by_kernel(const std::vector<KernelProfile>& profiles) {
  std::vector<KernelUse> kernels;
  std::vector<std::vector<KernelProfile>> launches;  // by kernel
  for (const KernelProfile& profile : profiles) {
    auto known = std::ranges::find(kernels, profile.launch.kernel, &KernelUse::kernel);
    const auto place = static_cast<std::size_t>(known - kernels.begin());
    if (known == kernels.end()) {
      kernels.push_back({.kernel = profile.launch.kernel, .use = {}});
      launches.emplace_back();
    }
    KernelUse& kernel = kernels[place];
    ++kernel.launches;
    kernel.largest_shared_bytes =
        std::max(kernel.largest_shared_bytes,
                 profile.static_shared_bytes + profile.launch.dynamic_shared_bytes);
    launches[place].push_back(profile);
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) kernels[i].use = add_up(launches[i]);
  return kernels;
}

namespace {

using Runs = std::span<const simt::PartitionBytes>;
using OfPartitions = std::array<std::uint64_t, simt::dram_partitions>;

/// Bytes by partition. They are floating-point, because a forged reply can contain numbers whose
/// sum overflows an integer.
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

/// @param groups groups of runs that are on the GPU at the same time
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

/// The number of consecutive runs that the GPU holds at the same time, and of their blocks.
struct RunsAtATime {
  std::uint64_t runs = 0;
  std::uint64_t blocks = 0;
};

std::optional<RunsAtATime> runs_at_a_time(const KernelProfile& kernel, const core::GpuProfile& gpu,
                                          int registers_per_thread) {
  if (kernel.partitions_by_run.empty()) return std::nullopt;
  const model::Occupancy occupancy = occupancy_of(kernel, gpu, registers_per_thread);
  if (occupancy.active_blocks <= 0) return std::nullopt;
  const auto held = std::uint64_t(occupancy.active_blocks) * std::uint64_t(gpu.sms);
  const std::uint64_t runs = std::max<std::uint64_t>(1, held / kernel.blocks_a_run);
  return RunsAtATime{runs, runs * kernel.blocks_a_run};
}

/// Divides runs into groups. It leaves out those at the end that do not fill a group.
std::vector<Runs> groups_of(Runs runs, std::size_t runs_a_group) {
  std::vector<Runs> groups;
  for (; runs.size() >= runs_a_group; runs = runs.subspan(runs_a_group)) {
    groups.push_back(runs.first(runs_a_group));
  }
  return groups;
}

}  // namespace

std::optional<PartitionSpread> spread_over_partitions(const KernelProfile& kernel,
                                                      const core::GpuProfile& gpu,
                                                      int registers_per_thread) {
  const auto at_a_time = runs_at_a_time(kernel, gpu, registers_per_thread);
  if (!at_a_time) return std::nullopt;
  const auto groups = groups_of(kernel.partitions_by_run, at_a_time->runs);
  const std::uint64_t blocks = at_a_time->blocks;
  return PartitionSpread{.blocks_at_a_time = blocks,
                         .loads = use_of(groups, blocks, &simt::PartitionBytes::loads),
                         .stores = use_of(groups, blocks, &simt::PartitionBytes::stores)};
}

double partition_imbalance(const KernelProfile& kernel, const core::GpuProfile& gpu,
                           int registers_per_thread) {
  const auto at_a_time = runs_at_a_time(kernel, gpu, registers_per_thread);
  if (!at_a_time) return 1;
  double moved = 0, busiest_moved = 0;
  for (Runs runs = kernel.partitions_by_run; !runs.empty();) {
    const Runs group = runs.first(std::min<std::size_t>(at_a_time->runs, runs.size()));
    runs = runs.subspan(group.size());
    Bytes bytes = add_up(group, &simt::PartitionBytes::loads);
    const Bytes stores = add_up(group, &simt::PartitionBytes::stores);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] += stores[i];
    moved += sum_of(bytes);
    busiest_moved += *std::ranges::max_element(bytes);
  }
  return moved > 0 ? busiest_moved * simt::dram_partitions / moved : 1;
}

}  // namespace tilewise::grading
