#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "common/simt/simt.hpp"

/// Watching kernels at work: every load and store of every thread, checked and counted. Only
/// modules of the checked build report them (docs/decisions/0008); in others nothing is seen.
namespace tilewise::simt {

/// In which order the threads of a block take turns. A correct kernel cannot tell. In step each
/// waits before an access until all others have made as many: so nearly all kernels come out right
/// that lack a barrier, and what else they do can be judged.
enum class ThreadOrder { forward, reverse, shuffled, in_step };

/// What to watch from the next launch on.
struct Watch {
  bool checks = false;    ///< every access is checked; what is found comes as findings
  bool counters = false;  ///< launches leave a KernelProfile
  /// Counters of a whole grid from a few of its blocks, wherever these stand for all others; the
  /// rest of the grid does not run, so that what the kernel computes is incomplete. Checks run all
  /// blocks whether or not this is set.
  bool sample = false;
  /// With `sample`: where no few blocks stand for all others, an estimate from some that are chosen
  /// at random, rather than all blocks.
  bool estimate = false;
  bool trace = false;  ///< launches leave a KernelTrace (trace.hpp)
  /// Beside what is wrong on every GPU, checks tell what the Programming Guide forbids or leaves
  /// undefined and hardware happens to run; a block goes on there as hardware does.
  bool strict = false;
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 0;  ///< of the shuffle and the choice
};

void watch(const Watch& wanted);

/// What a range of device memory is, for checks and messages.
struct BufferDescription {
  std::string name;
  std::size_t bytes = 0;
  bool read_only = false;         ///< a kernel that writes there is told so
  bool uninitialised = false;     ///< a kernel that reads before it writes there is told so
  std::size_t element_bytes = 0;  ///< 0: unknown; messages then count in bytes
  std::size_t row_elements = 0;   ///< elements from one row to the next; 0: not a matrix
  bool scalar = false;            ///< one element, which messages name without an index
  /// A square matrix whose elements above the diagonal are no part of it: a kernel that reads there
  /// is told so.
  bool lower_triangular = false;
  std::string file = {};  ///< where it was allocated; empty: unknown
  int line = 0;
};

/// As describe_buffer(pointer, bytes, name), with all that is known. Once any part of an allocation
/// is described, the rest of it is out of bounds for kernels.
void describe_buffer(const void* device_pointer, const BufferDescription& description);

/// What warps did, summed over a launch. A request is one instruction of one warp, on GPUs of
/// compute capability 1.x of one half-warp. The names are Nsight Compute's: l1tex__t_requests,
/// l1tex__t_sectors, l1tex__data_pipe_lsu_wavefronts_mem_shared, l1tex__data_bank_conflicts.
struct Counters {
  std::uint64_t global_load_requests = 0;
  std::uint64_t global_load_sectors = 0;       ///< of 32 bytes; on 1.x bytes moved over 32
  std::uint64_t global_load_transactions = 0;  ///< on 1.x segments of 32, 64 or 128 bytes; else 0
  std::uint64_t global_load_bytes = 0;         ///< distinct bytes the lanes of a request asked for
  std::uint64_t global_load_lane_bytes = 0;    ///< bytes each lane asked for, whoever else did
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_store_transactions = 0;
  std::uint64_t global_store_bytes = 0;
  std::uint64_t global_store_lane_bytes = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;  ///< as written
  /// Once the compiler has joined a thread's neighbouring loads to loads of 64 and 128 bits.
  std::uint64_t shared_load_requests_merged = 0;
  std::uint64_t shared_load_wavefronts_merged = 0;
  std::uint64_t shared_load_bytes = 0;  ///< distinct bytes that the lanes of a merged request want
  std::uint64_t shared_load_lane_bytes = 0;  ///< bytes each lane wants of it, whoever else does
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t shared_store_bytes = 0;
  std::uint64_t shared_store_lane_bytes = 0;
  std::uint64_t shared_bank_conflicts = 0;  ///< wavefronts that bank conflicts add
  std::uint64_t atomic_requests = 0;        ///< on global and shared memory
  // Of these, which the counters of loads and stores leave out: a GPU does them where the data is.
  std::uint64_t global_atomic_requests = 0;
  std::uint64_t global_atomic_sectors = 0;
  std::uint64_t global_atomic_transactions = 0;
  std::uint64_t global_atomic_bytes = 0;
  std::uint64_t global_atomic_lane_bytes = 0;
  /// One after another: for each request the most lanes that want one address.
  std::uint64_t global_atomic_passes = 0;
  std::uint64_t shared_atomic_requests = 0;
  /// Passes over the banks, each of which serves one lane of a bank.
  std::uint64_t shared_atomic_wavefronts = 0;
  std::uint64_t constant_requests = 0;    ///< loads of `__constant__` variables
  std::uint64_t constant_passes = 0;      ///< for each request the addresses that differ
  std::uint64_t divergent_requests = 0;   ///< made by some of the warp's live lanes only
  std::uint64_t barriers = 0;             ///< __syncthreads() and its kind, by warps
  std::uint64_t shuffles = 0;             ///< __shfl_sync() and its kind, by warps
  std::uint64_t tensor_instructions = 0;  ///< mma.sync and mma_sync(), by warps
  // Multiply-adds of these: an instruction makes 8 * 8 * 4 of them, or up to 16 * 16 * 16.
  std::uint64_t tensor_half_products = 0;  ///< of half and bfloat16
  std::uint64_t tensor_tf32_products = 0;
  std::uint64_t tensor_double_products = 0;
  std::uint64_t tensor_integer_products = 0;
};

/// A counter and its name in messages and files.
struct NamedCounter {
  const char* name;
  std::uint64_t Counters::*value;
};

/// All of them, for code that treats them alike.
inline constexpr NamedCounter all_counters[] = {
    {"global_load_requests", &Counters::global_load_requests},
    {"global_load_sectors", &Counters::global_load_sectors},
    {"global_load_transactions", &Counters::global_load_transactions},
    {"global_load_bytes", &Counters::global_load_bytes},
    {"global_load_lane_bytes", &Counters::global_load_lane_bytes},
    {"global_store_requests", &Counters::global_store_requests},
    {"global_store_sectors", &Counters::global_store_sectors},
    {"global_store_transactions", &Counters::global_store_transactions},
    {"global_store_bytes", &Counters::global_store_bytes},
    {"global_store_lane_bytes", &Counters::global_store_lane_bytes},
    {"shared_load_requests", &Counters::shared_load_requests},
    {"shared_load_wavefronts", &Counters::shared_load_wavefronts},
    {"shared_load_requests_merged", &Counters::shared_load_requests_merged},
    {"shared_load_wavefronts_merged", &Counters::shared_load_wavefronts_merged},
    {"shared_load_bytes", &Counters::shared_load_bytes},
    {"shared_load_lane_bytes", &Counters::shared_load_lane_bytes},
    {"shared_store_requests", &Counters::shared_store_requests},
    {"shared_store_wavefronts", &Counters::shared_store_wavefronts},
    {"shared_store_bytes", &Counters::shared_store_bytes},
    {"shared_store_lane_bytes", &Counters::shared_store_lane_bytes},
    {"shared_bank_conflicts", &Counters::shared_bank_conflicts},
    {"atomic_requests", &Counters::atomic_requests},
    {"global_atomic_requests", &Counters::global_atomic_requests},
    {"global_atomic_sectors", &Counters::global_atomic_sectors},
    {"global_atomic_transactions", &Counters::global_atomic_transactions},
    {"global_atomic_bytes", &Counters::global_atomic_bytes},
    {"global_atomic_lane_bytes", &Counters::global_atomic_lane_bytes},
    {"global_atomic_passes", &Counters::global_atomic_passes},
    {"shared_atomic_requests", &Counters::shared_atomic_requests},
    {"shared_atomic_wavefronts", &Counters::shared_atomic_wavefronts},
    {"constant_requests", &Counters::constant_requests},
    {"constant_passes", &Counters::constant_passes},
    {"divergent_requests", &Counters::divergent_requests},
    {"barriers", &Counters::barriers},
    {"shuffles", &Counters::shuffles},
    {"tensor_instructions", &Counters::tensor_instructions},
    {"tensor_half_products", &Counters::tensor_half_products},
    {"tensor_tf32_products", &Counters::tensor_tf32_products},
    {"tensor_double_products", &Counters::tensor_double_products},
    {"tensor_integer_products", &Counters::tensor_integer_products},
};
static_assert(sizeof(Counters) == std::size(all_counters) * sizeof(std::uint64_t),
              "a counter is missing here");

/// Adds counter by counter.
inline Counters& add(Counters& sum, const Counters& counters) {
  for (const NamedCounter& counter : all_counters) sum.*counter.value += counters.*counter.value;
  return sum;
}

/// GT200's DRAM: 8 partitions that take turns every 256 bytes (muni2009).
inline constexpr std::size_t dram_partitions = 8;

/// Bytes moved from each DRAM partition, and to it.
struct PartitionBytes {
  std::array<std::uint64_t, dram_partitions> loads = {};
  std::array<std::uint64_t, dram_partitions> stores = {};
};

/// Runs of consecutive blocks that a profile tells of one by one.
inline constexpr std::size_t most_block_runs = 512;

/// Counters of one line of source; those of a line in a function called from a kernel too.
struct LineCounters {
  std::string file;
  int line = 0;
  Counters counters;
};

/// What one block inside of the grid needs of device memory, in sectors of 32 bytes that differ.
struct Footprint {
  std::uint64_t load_sectors = 0;
  std::uint64_t shared_along_x = 0;  ///< of those: the next block along x loads them, too
  std::uint64_t shared_along_y = 0;
  std::uint64_t store_sectors = 0;
  std::uint64_t store_bytes = 0;  ///< that its threads ask for, not only different ones
  /// Lines of 128 bytes, summed over the requests of the block's warps.
  std::uint64_t load_lines = 0;
  std::uint64_t store_lines = 0;
  /// Summed over the block's warps: intervals between barriers in which a warp loads from global
  /// memory, and of these the ones in which it then stores to shared memory, so that it waits
  /// there.
  std::uint64_t load_intervals = 0;
  std::uint64_t waiting_intervals = 0;
  /// Of the latter those in which the warp reads nothing of shared memory, so that it has nothing
  /// to compute with meanwhile, and at whose end it has put into shared memory all that it ever
  /// loaded: nothing is on its way.
  std::uint64_t idle_intervals = 0;
  /// Summed over warps: how often a warp stores results that it had in registers together. Those
  /// are new ones where it has loaded in at least half as many intervals as before its first store:
  /// a barrier between two stores, or a load, is no sum.
  std::uint64_t store_rounds = 0;
  /// Bytes that asynchronous copies bring into shared memory; intervals between barriers in which
  /// threads read shared memory, and of these the ones in which such copies are under way
  /// meanwhile.
  std::uint64_t copied_bytes = 0;
  std::uint64_t reading_intervals = 0;
  std::uint64_t overlapped_intervals = 0;
};

/// A launch as counted.
struct KernelProfile {
  LaunchRecord launch;
  std::size_t static_shared_bytes = 0;
  std::uint64_t blocks = 0;            ///< of the grid
  std::uint64_t simulated_blocks = 0;  ///< that the counters were taken from
  Counters counters;                   ///< totals for the whole grid
  std::vector<LineCounters> lines;     ///< by file and line
  /// Bytes moved from and to each DRAM partition; empty where addresses are hashed over partitions
  /// (all but GT200), and where blocks were sampled, since each has addresses of its own.
  std::vector<std::uint64_t> partition_bytes;
  /// The same in the order of blocks, which tells what those have in common that are on the GPU at
  /// the same time: the entry i is of the blocks with the numbers i * blocks_a_run to
  /// (i + 1) * blocks_a_run - 1, x counted first. A run is one block in a grid of at most
  /// most_block_runs; in a larger one as many as it takes to have no more runs than that.
  std::vector<PartitionBytes> partitions_by_run;
  std::uint64_t blocks_a_run = 1;
  Footprint footprint;  ///< all zeros where blocks were not sampled
};

/// The profiles of the launches since the last call.
std::vector<KernelProfile> take_profiles();

}  // namespace tilewise::simt
