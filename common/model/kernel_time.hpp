#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/gpu/capability.hpp"
#include "common/gpu/gpu_profile.hpp"

namespace tilewise::model {

/// What a launch does, as the simulator counts it (common/simt/watch.hpp has the same names and
/// meanings): totals of the whole grid.
struct KernelWork {
  std::uint64_t blocks_x = 1;  ///< of the grid; blocks start in this order
  std::uint64_t blocks_y = 1;
  int threads_per_block = 1;
  std::size_t shared_bytes_per_block = 0;  ///< with arguments_in_shared()
  int registers_per_thread = 0;            ///< 0: not known, taken as no limit
  /// Words of a thread for which there is no register, so that each step of its sums brings them
  /// from local memory and takes them back: spilled_words().
  double spilled_words = 0;

  double operations = 0;  ///< floating-point, a multiply-add is 2; 0 where nothing is computed
  bool double_precision = false;

  double global_load_requests = 0;
  double global_load_sectors = 0;
  double global_load_bytes = 0;
  double global_store_requests = 0;
  double global_store_sectors = 0;
  double global_store_bytes = 0;
  double shared_load_requests = 0;  ///< merged, as the wavefronts
  double shared_load_wavefronts = 0;
  double shared_store_requests = 0;
  double shared_store_wavefronts = 0;
  /// Bytes that these requests want, and what each of their lanes wants; no time comes of it.
  double shared_bytes = 0;
  double shared_lane_bytes = 0;
  /// Atomic operations, which no other count has: a value moves to where it is changed, and back.
  double global_atomic_requests = 0;
  double global_atomic_sectors = 0;
  double global_atomic_bytes = 0;
  double global_atomic_passes = 0;  ///< of lanes that want one address, one after another
  double shared_atomic_requests = 0;
  double shared_atomic_wavefronts = 0;
  double constant_passes = 0;  ///< of loads from constant memory, an address each
  double barriers = 0;
  double shuffles = 0;
  double tensor_instructions = 0;
  // Multiply-adds of tensor cores.
  double tensor_half_products = 0;
  double tensor_tf32_products = 0;
  double tensor_double_products = 0;
  double tensor_integer_products = 0;

  /// What one block inside of the grid needs: simt::Footprint.
  struct Footprint {
    double load_sectors = 0;
    double shared_along_x = 0;
    double shared_along_y = 0;
    double store_sectors = 0;
    double store_bytes = 0;
    double load_lines = 0;
    double store_lines = 0;
    double load_intervals = 0;
    double waiting_intervals = 0;
    double store_rounds = 0;
  } block;

  /// Bytes of the busiest DRAM partition over the mean of all (GT200); 1 where not counted.
  double partition_imbalance = 1;
};

/// Multiply-adds that tensor cores make, of which no other lanes know.
double tensor_products(const KernelWork& work);

/// Results that a thread in the midst of the grid has at a time, in registers until it stores them:
/// those of one round (simt::Footprint) in a kernel that has barriers, and one in others.
double results_at_a_time(const KernelWork& work);

/// KernelWork::spilled_words of a launch whose other members are known. Each result takes a
/// register (of double precision two), and so do the factors of a step, as many as two sides of a
/// square of results; addresses can wait elsewhere. What is more than registers_per_thread is
/// spilled. Where the results alone would fill the registers of two threads, compilers keep all of
/// them in memory. Both fit what put2025 counted of 16x16, 23x24 and 24x24 results.
double spilled_words(const KernelWork& work, const core::Capability& capability);

/// Memory moves in sectors of so many bytes.
constexpr double sector_bytes = 32;

/// Sectors that a launch moves from and to DRAM.
struct DramTraffic {
  double load_sectors = 0;
  double store_sectors = 0;
};

/// How much of a launch's traffic L2 leaves to DRAM, if `resident` blocks are on the GPU at a time.
/// docs/decisions/0013. With an L2 of 0 bytes, all of it.
DramTraffic dram_traffic(const core::GpuProfile& gpu, const KernelWork& work,
                         std::uint64_t resident);

/// A resource of the GPU and how long the launch would take if it were the only limit.
struct TimePart {
  std::string name;
  double ms = 0;
};

/// What a block takes of its SM, in clocks.
struct BlockClocks {
  double issue = 0;  ///< of instructions
  double pipes = 0;  ///< of arithmetic and of the unit that loads and stores, the slower
  double busy = 0;   ///< all of these side by side
  double memory_wait = 0;
  double barrier_wait = 0;
  double chain = 0;  ///< of sums that wait for themselves

  /// How long an SM is busy with `count` blocks that begin together.
  double together(double count) const;
};

/// The modelled time of a launch.
struct KernelTime {
  double ms = 0;
  double gflops = 0;  ///< 0 where nothing is computed
  double gb_s = 0;    ///< bytes asked for, loads and stores
  double occupancy_pct = 0;
  double warp_instructions = 0;  ///< issued, as far as the counters tell
  std::string limiter;           ///< the name of the largest part, in words to act on
  std::vector<TimePart> parts;   ///< all of them, in the order of kernel_time.cpp

  // What kernel_metrics() goes on with.
  BlockClocks block;
  int resident_blocks = 0;         ///< on an SM
  double clocks = 0;               ///< of the whole launch, without its overhead
  double clocks_of_whole_gpu = 0;  ///< that L2 or DRAM takes, whichever takes longer
  double l2_load_sectors = 0;      ///< with atomics and what is spilled, as the next three
  double l2_store_sectors = 0;
  DramTraffic dram;
};

/// Models how long a launch takes, after Zhang and Owens, A Quantitative Performance Analysis Model
/// for GPU Architectures, HPCA 2011: each resource has a time of its own, and the largest counts.
/// How warps hide waiting follows Volkov, Understanding Latency Hiding on GPUs, 2016: the blocks on
/// an SM either keep it busy, or take as long as one of them alone. Blocks come in waves, the last
/// of which may be partly empty.
/// @throws std::invalid_argument where a count is negative or not finite, or where the launch
/// cannot run on the GPU (Occupancy::cannot_run).
KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work,
                       const core::Capability& capability);
KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work);

}  // namespace tilewise::model
