#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// Bytes that memory moves at a time.
inline constexpr std::uint64_t sector_bytes = 32;

/// One way of using global memory, and the counters that tell of it.
struct AccessKind {
  const char* name;  ///< "loads"
  std::uint64_t simt::Counters::*requests;
  std::uint64_t simt::Counters::*sectors;
  std::uint64_t simt::Counters::*bytes;
};

inline constexpr AccessKind global_loads{"loads", &simt::Counters::global_load_requests,
                                         &simt::Counters::global_load_sectors,
                                         &simt::Counters::global_load_bytes};
inline constexpr AccessKind global_stores{"stores", &simt::Counters::global_store_requests,
                                          &simt::Counters::global_store_sectors,
                                          &simt::Counters::global_store_bytes};
inline constexpr AccessKind global_atomics{"atomics", &simt::Counters::global_atomic_requests,
                                           &simt::Counters::global_atomic_sectors,
                                           &simt::Counters::global_atomic_bytes};

/// Bytes asked for, in percent of those moved. A byte that several lanes of a request ask for
/// counts once, so that it is never more than 100; 100 too where nothing was moved.
double efficiency_pct(const simt::Counters& counters, const AccessKind& kind);

double sectors_per_request(const simt::Counters& counters, const AccessKind& kind);

/// Sectors that so many requests for so many bytes must move, wherever the bytes lie: none gives
/// more than 32 bytes, and no request does with less than one.
std::uint64_t fewest_sectors(const simt::Counters& counters, const AccessKind& kind);

/// Sectors beyond those: moved because the bytes asked for do not lie together.
std::uint64_t scattered_sectors(const simt::Counters& counters, const AccessKind& kind);

/// What all launches of a call did.
struct MemoryUse {
  simt::Counters total;
  std::vector<simt::LineCounters> lines;  ///< by file and line
};

MemoryUse add_up(const std::vector<KernelProfile>& profiles);

/// With atomic operations as loads and as stores, of global and of shared memory: each brings a
/// value and leaves one.
std::vector<KernelProfile> with_atomics_as_accesses(std::vector<KernelProfile> profiles);

/// What the launches of one kernel did.
struct KernelUse {
  std::string kernel;  ///< "dtrsm_32<double>"
  int launches = 0;
  std::size_t largest_shared_bytes = 0;  ///< static and dynamic shared memory of a block
  MemoryUse use;
};

/// Launches put together by kernel, in the order in which each was launched first.
std::vector<KernelUse> by_kernel(const std::vector<KernelProfile>& profiles);

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
/// @param registers_per_thread 0: not known, taken as no limit
/// @return nothing where the GPU's partitions are not known, where some blocks stood for others,
/// and where no kernel of that kind can run
std::optional<PartitionSpread> spread_over_partitions(const KernelProfile& kernel,
                                                      const core::GpuProfile& gpu,
                                                      int registers_per_thread = 0);

/// How much longer DRAM takes than if such blocks always wanted the same of each partition, loads
/// and stores together; 1 where nothing is known.
double partition_imbalance(const KernelProfile& kernel, const core::GpuProfile& gpu,
                           int registers_per_thread);

}  // namespace tilewise::grading
