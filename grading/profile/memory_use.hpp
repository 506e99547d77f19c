#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"
#include "grading/worker/call.hpp"

namespace tilewise::grading {

/// The number of bytes that memory moves at a time.
inline constexpr std::uint64_t sector_bytes = 32;

/// A kind of access to global memory, and the counters for it.
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

/// Returns the bytes requested, in percent of those moved. A byte that several lanes of a request
/// ask for counts once, so that the result never exceeds 100. It is also 100 if nothing was moved.
double efficiency_pct(const simt::Counters& counters, const AccessKind& kind);

double sectors_per_request(const simt::Counters& counters, const AccessKind& kind);

/// Returns the fewest sectors that this number of requests for this number of bytes can move,
/// wherever the bytes lie. A sector provides at most 32 bytes, and a request moves at least one
/// sector.
std::uint64_t fewest_sectors(const simt::Counters& counters, const AccessKind& kind);

/// Returns the sectors beyond those, which are moved because the requested bytes are not adjacent.
std::uint64_t scattered_sectors(const simt::Counters& counters, const AccessKind& kind);

/// The memory accesses of all launches of a call.
struct MemoryUse {
  simt::Counters total;
  std::vector<simt::LineCounters> lines;  ///< by file and line
};

MemoryUse add_up(const std::vector<KernelProfile>& profiles);

/// Counts atomic operations of global and shared memory also as loads and as stores, since each of
/// them reads a value and writes one.
std::vector<KernelProfile> with_atomics_as_accesses(std::vector<KernelProfile> profiles);

/// The memory accesses of all launches of one kernel.
struct KernelUse {
  std::string kernel;  ///< "dtrsm_32<double>"
  int launches = 0;
  std::size_t largest_shared_bytes = 0;  ///< static and dynamic shared memory per block
  MemoryUse use;
};

/// Groups launches by kernel, in the order of the kernels' first launches.
std::vector<KernelUse> by_kernel(const std::vector<KernelProfile>& profiles);

/// How blocks that run at the same time share the DRAM partitions, for loads or stores.
struct PartitionUse {
  /// The number of equally busy partitions that would move as much in the time that the busiest one
  /// takes, which is how long such blocks take. It is 8 if all partitions have equal shares, and 1
  /// if all blocks that run at the same time want the same partition (partition camping). This is
  /// for the whole launch.
  double busy = simt::dram_partitions;

  // The following describe the blocks that share the partitions worst.
  std::uint64_t first_block = 0;
  std::vector<int> partitions = {};  ///< all partitions that they use
  int busiest = 0;                   ///< the partition that moves most bytes
  double busiest_share = 0;          ///< its share of the bytes that they move
};

struct PartitionSpread {
  std::uint64_t blocks_at_a_time = 0;  ///< the number of blocks that the GPU holds
  PartitionUse loads;
  PartitionUse stores;
};

/// Computes how blocks that run at the same time share the DRAM partitions. Blocks start in the
/// order of their numbers. As many consecutive blocks as the GPU holds are assumed to run at the
/// same time; a smaller rest at the end of the grid is left out. All bytes of a block count at
/// once, so a grid that the GPU holds as a whole always looks well spread, in whatever order its
/// blocks walk over the matrix.
///
/// @param registers_per_thread 0: not known, taken as no limit
/// @return nothing if the GPU's partitions are not known, if some blocks stood for others, or if no
/// block of the kernel can run
std::optional<PartitionSpread> spread_over_partitions(const KernelProfile& kernel,
                                                      const core::GpuProfile& gpu,
                                                      int registers_per_thread = 0);

/// Returns how many times longer DRAM takes, for loads and stores together, than if blocks that run
/// at the same time used all partitions equally; 1 if nothing is known.
double partition_imbalance(const KernelProfile& kernel, const core::GpuProfile& gpu,
                           int registers_per_thread);

}  // namespace tilewise::grading
