#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "common/simt/simt.hpp"

/// Watches running kernels: every load and store of every thread is checked and counted. Only
/// modules of the checked build report their accesses (docs/decisions/0008); the simulator sees
/// nothing of other modules.
namespace tilewise::simt {

/// The order in which the threads of a block take turns. A correct kernel gives the same result in
/// any order. With `in_step`, each thread waits before an access until all others have made as
/// many: nearly all kernels that lack a barrier then come out right, so that the rest of what they
/// do can be judged.
enum class ThreadOrder { forward, reverse, shuffled, in_step };

/// What to watch from the next launch on.
struct Watch {
  bool checks = false;    ///< every access is checked; faults are reported as findings
  bool counters = false;  ///< launches leave a KernelProfile
  /// The counters of a whole grid are taken from a few of its blocks, wherever these stand for all
  /// others. The rest of the grid does not run, so the kernel's result is incomplete. Checks run
  /// all blocks whether or not this is set.
  bool sample = false;
  /// With `sample`: where no few blocks stand for all others, the counters are estimated from
  /// blocks chosen at random, rather than taken from all blocks.
  bool estimate = false;
  bool trace = false;  ///< launches leave a KernelTrace (trace.hpp)
  /// In addition to what is wrong on every GPU, the checks report what the Programming Guide
  /// forbids or leaves undefined although hardware happens to run it; there, a block goes on as
  /// hardware does.
  bool strict = false;
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t seed = 0;  ///< the seed of the shuffle and of the random choice
};

void watch(const Watch& wanted);

/// Describes a range of device memory, for checks and messages.
struct BufferDescription {
  std::string name;
  std::size_t bytes = 0;
  bool read_only = false;         ///< a kernel that writes there is reported
  bool uninitialised = false;     ///< a kernel that reads before it writes there is reported
  std::size_t element_bytes = 0;  ///< 0: unknown; messages then give offsets in bytes
  std::size_t row_elements = 0;   ///< elements from one row to the next; 0: not a matrix
  bool scalar = false;            ///< a single element, which messages name without an index
  /// A square matrix whose elements above the diagonal do not belong to it: a kernel that reads one
  /// of them is reported.
  bool lower_triangular = false;
  std::string file = {};  ///< the file in which it was allocated; empty: unknown
  int line = 0;
};

/// Does the same as describe_buffer(pointer, bytes, name), with all that is known of the range.
/// Once any part of an allocation is described, the rest of it is out of bounds for kernels.
void describe_buffer(const void* device_pointer, const BufferDescription& description);

/// What warps did, summed over a launch. A request is one instruction of one warp, or of one
/// half-warp on GPUs of compute capability 1.x. The names follow Nsight Compute's:
/// l1tex__t_requests, l1tex__t_sectors, l1tex__data_pipe_lsu_wavefronts_mem_shared,
/// l1tex__data_bank_conflicts.
struct Counters {
  std::uint64_t global_load_requests = 0;
  /// Sectors of 32 bytes; on 1.x the bytes moved, divided by 32.
  std::uint64_t global_load_sectors = 0;
  std::uint64_t global_load_transactions = 0;  ///< on 1.x segments of 32, 64 or 128 bytes; else 0
  /// The distinct bytes that the lanes of a request asked for.
  std::uint64_t global_load_bytes = 0;
  std::uint64_t global_load_lane_bytes = 0;  ///< the sum of the bytes that each lane asked for
  std::uint64_t global_store_requests = 0;
  std::uint64_t global_store_sectors = 0;
  std::uint64_t global_store_transactions = 0;
  std::uint64_t global_store_bytes = 0;
  std::uint64_t global_store_lane_bytes = 0;
  std::uint64_t shared_load_requests = 0;
  std::uint64_t shared_load_wavefronts = 0;  ///< as the source has the loads
  /// The same after the compiler has joined a thread's neighbouring loads into loads of 64 and 128
  /// bits.
  std::uint64_t shared_load_requests_merged = 0;
  std::uint64_t shared_load_wavefronts_merged = 0;
  /// The distinct bytes that the lanes of a merged request ask for.
  std::uint64_t shared_load_bytes = 0;
  std::uint64_t shared_load_lane_bytes = 0;  ///< the sum of the bytes that each lane asks for
  std::uint64_t shared_store_requests = 0;
  std::uint64_t shared_store_wavefronts = 0;
  std::uint64_t shared_store_bytes = 0;
  std::uint64_t shared_store_lane_bytes = 0;
  std::uint64_t shared_bank_conflicts = 0;  ///< wavefronts that bank conflicts add
  std::uint64_t atomic_requests = 0;        ///< on global and shared memory
  // The atomics among them. The counters of loads and stores leave these out, because a GPU
  // performs them where the data is.
  std::uint64_t global_atomic_requests = 0;
  std::uint64_t global_atomic_sectors = 0;
  std::uint64_t global_atomic_transactions = 0;
  std::uint64_t global_atomic_bytes = 0;
  std::uint64_t global_atomic_lane_bytes = 0;
  /// The passes of global atomics: for each request, the largest number of lanes that access one
  /// address.
  std::uint64_t global_atomic_passes = 0;
  std::uint64_t shared_atomic_requests = 0;
  /// The passes over the banks, each of which serves one lane of a bank.
  std::uint64_t shared_atomic_wavefronts = 0;
  std::uint64_t constant_requests = 0;    ///< loads of `__constant__` variables
  std::uint64_t constant_passes = 0;      ///< for each request, the number of distinct addresses
  std::uint64_t divergent_requests = 0;   ///< requests that only some of the warp's live lanes make
  std::uint64_t barriers = 0;             ///< __syncthreads() and similar calls, counted by warp
  std::uint64_t shuffles = 0;             ///< __shfl_sync() and similar calls, counted by warp
  std::uint64_t tensor_instructions = 0;  ///< mma.sync and mma_sync(), counted by warp
  // The multiply-adds of the tensor instructions: each makes between 8 * 8 * 4 and 16 * 16 * 16.
  std::uint64_t tensor_half_products = 0;  ///< for half and bfloat16
  std::uint64_t tensor_tf32_products = 0;
  std::uint64_t tensor_double_products = 0;
  std::uint64_t tensor_integer_products = 0;
};

/// A counter, with its name in messages and files.
struct NamedCounter {
  const char* name;
  std::uint64_t Counters::*value;
};

/// All counters, for code that treats them alike.
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

/// Adds each counter to that of the sum.
inline Counters& add(Counters& sum, const Counters& counters) {
  for (const NamedCounter& counter : all_counters) sum.*counter.value += counters.*counter.value;
  return sum;
}

/// GT200's DRAM has 8 partitions that take turns every 256 bytes (muni2009).
inline constexpr std::size_t dram_partitions = 8;

/// The bytes moved from each DRAM partition, and to it.
struct PartitionBytes {
  std::array<std::uint64_t, dram_partitions> loads = {};
  std::array<std::uint64_t, dram_partitions> stores = {};
};

/// The largest number of runs of consecutive blocks that a profile reports one by one.
inline constexpr std::size_t most_block_runs = 512;

/// The counters of one line of source, which may also lie in a function that a kernel calls.
struct LineCounters {
  std::string file;
  int line = 0;
  Counters counters;
};

/// What one block inside the grid needs of device memory, in distinct sectors of 32 bytes.
struct Footprint {
  std::uint64_t load_sectors = 0;
  std::uint64_t shared_along_x = 0;  ///< those of them that the next block along x loads, too
  std::uint64_t shared_along_y = 0;
  std::uint64_t store_sectors = 0;
  /// The bytes that its threads store, those stored twice counted twice.
  std::uint64_t store_bytes = 0;
  /// Lines of 128 bytes, summed over the requests of the block's warps.
  std::uint64_t load_lines = 0;
  std::uint64_t store_lines = 0;
  /// The intervals between barriers in which a warp loads from global memory, and those among them
  /// in which it then stores to shared memory and so has to wait for the loads. Both are summed
  /// over the block's warps.
  std::uint64_t load_intervals = 0;
  std::uint64_t waiting_intervals = 0;
  /// Those among the waiting intervals in which the warp reads nothing from shared memory, so that
  /// it has nothing to compute with while it waits, and at whose end it has put into shared memory
  /// all that it ever loaded, so that no load is in flight.
  std::uint64_t idle_intervals = 0;
  /// How often a warp stores the results that it held in registers together, summed over the warps.
  /// A new round begins where the warp has loaded in at least half as many intervals as before its
  /// first store: a barrier between two stores, or a load, does not make a new sum.
  std::uint64_t store_rounds = 0;
  /// The bytes that asynchronous copies bring into shared memory, the intervals between barriers in
  /// which threads read shared memory, and those among them during which such copies are in flight.
  std::uint64_t copied_bytes = 0;
  std::uint64_t reading_intervals = 0;
  std::uint64_t overlapped_intervals = 0;
};

/// The counters of one launch.
struct KernelProfile {
  LaunchRecord launch;
  std::size_t static_shared_bytes = 0;
  std::uint64_t blocks = 0;            ///< blocks of the grid
  std::uint64_t simulated_blocks = 0;  ///< blocks that the counters were taken from
  Counters counters;                   ///< totals for the whole grid
  std::vector<LineCounters> lines;     ///< sorted by file and line
  /// The bytes moved from and to each DRAM partition. Empty where addresses are hashed over the
  /// partitions (on all GPUs but GT200), and where blocks were sampled, since each block has
  /// addresses of its own.
  std::vector<std::uint64_t> partition_bytes;
  /// The same bytes in the order of the blocks, which shows what the blocks have in common that are
  /// on the GPU at the same time. Entry i belongs to the blocks with the numbers i * blocks_a_run
  /// to (i + 1) * blocks_a_run - 1, with x counted first. A run is one block if the grid has at
  /// most most_block_runs blocks; in a larger grid, runs are so long that there are at most
  /// most_block_runs of them.
  std::vector<PartitionBytes> partitions_by_run;
  std::uint64_t blocks_a_run = 1;
  Footprint footprint;  ///< all zeros where blocks were not sampled
};

/// Returns the profiles of the launches since the last call.
std::vector<KernelProfile> take_profiles();

}  // namespace tilewise::simt
