#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/gpu/capability.hpp"
#include "common/gpu/gpu_profile.hpp"

namespace tilewise::model {

/// What a launch does, as totals of the whole grid. The simulator counts it; common/simt/watch.hpp
/// has the same names and meanings.
struct KernelWork {
  std::uint64_t blocks_x = 1;  ///< of the grid; blocks start along x first
  std::uint64_t blocks_y = 1;
  int threads_per_block = 1;
  std::size_t shared_bytes_per_block = 0;  ///< including arguments_in_shared()
  int registers_per_thread = 0;            ///< 0: unknown, treated as no limit
  /// The words of a thread for which there is no register, so that each step of its sums loads them
  /// from local memory and stores them back; see spilled_words().
  double spilled_words = 0;

  double operations = 0;  ///< floating-point operations; a multiply-add is 2; 0 if none
  bool double_precision = false;

  double global_load_requests = 0;
  double global_load_sectors = 0;
  double global_load_bytes = 0;
  double global_store_requests = 0;
  double global_store_sectors = 0;
  double global_store_bytes = 0;
  double shared_load_requests = 0;  ///< merged, like the wavefronts
  double shared_load_wavefronts = 0;
  double shared_store_requests = 0;
  double shared_store_wavefronts = 0;
  /// The bytes that these requests want, and those that each of their lanes wants; neither affects
  /// the time.
  double shared_bytes = 0;
  double shared_lane_bytes = 0;
  /// Atomic operations, which no other count includes. A value moves to where it is changed, and
  /// back.
  double global_atomic_requests = 0;
  double global_atomic_sectors = 0;
  double global_atomic_bytes = 0;
  double global_atomic_passes = 0;  ///< lanes that want one address go one after another
  double shared_atomic_requests = 0;
  double shared_atomic_wavefronts = 0;
  double constant_passes = 0;  ///< of loads from constant memory, one for each address
  double barriers = 0;
  double shuffles = 0;
  double tensor_instructions = 0;
  // Multiply-adds of the tensor cores.
  double tensor_half_products = 0;
  double tensor_tf32_products = 0;
  double tensor_double_products = 0;
  double tensor_integer_products = 0;

  /// What one block in the interior of the grid needs: simt::Footprint.
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

  /// The bytes of the busiest DRAM partition over the mean of all (GT200); 1 if not counted.
  double partition_imbalance = 1;
};

/// The multiply-adds that tensor cores make; other lanes have no part in them.
double tensor_products(const KernelWork& work);

/// The results that a thread in the interior of the grid holds in registers at a time, until it
/// stores them: those of one round (simt::Footprint) in a kernel that has barriers, one result in
/// others.
double results_at_a_time(const KernelWork& work);

/// KernelWork::spilled_words of a launch whose other members are known. Each result takes one
/// register, or two in double precision, and so does each factor of a step, of which there are as
/// many as on two sides of a square of results; addresses can wait elsewhere. Whatever exceeds
/// registers_per_thread is spilled. Compilers keep all results in memory if the results alone would
/// fill the registers of two threads. Both rules fit what put2025 counted for 16x16, 23x24 and
/// 24x24 results.
double spilled_words(const KernelWork& work, const core::Capability& capability);

/// Memory moves in sectors of this many bytes.
constexpr double sector_bytes = 32;

/// Sectors that a launch moves from and to DRAM.
struct DramTraffic {
  double load_sectors = 0;
  double store_sectors = 0;
};

/// The traffic that L2 leaves to DRAM if `resident` blocks are on the GPU at a time; see
/// docs/decisions/0013. With an L2 of 0 bytes this is all of the launch's traffic.
DramTraffic dram_traffic(const core::GpuProfile& gpu, const KernelWork& work,
                         std::uint64_t resident);

/// A resource of the GPU and how long the launch would take if it were the only limit.
struct TimePart {
  std::string name;
  double ms = 0;
};

/// How long a block uses or waits for parts of its SM, in clocks.
struct BlockClocks {
  double issue = 0;  ///< issue of its instructions
  double pipes = 0;  ///< arithmetic, or the unit that loads and stores, whichever is slower
  double busy = 0;   ///< all of these, overlapped
  double memory_wait = 0;
  double barrier_wait = 0;
  double chain = 0;  ///< sums in which each step waits for the one before

  /// The clocks for which an SM is busy with `count` blocks that start together.
  double together(double count) const;
};

/// The modelled time of a launch.
struct KernelTime {
  double ms = 0;
  double gflops = 0;  ///< 0 if nothing is computed
  double gb_s = 0;    ///< of the bytes that loads and stores ask for
  double occupancy_pct = 0;
  double warp_instructions = 0;  ///< issued ones, as far as the counters show
  std::string limiter;           ///< the name of the largest part, worded as a hint for action
  std::vector<TimePart> parts;   ///< all of them, in the order of kernel_time.cpp

  // Values that kernel_metrics() continues with.
  BlockClocks block;
  int resident_blocks = 0;         ///< on an SM
  double clocks = 0;               ///< of the whole launch, without the launch overhead
  double clocks_of_whole_gpu = 0;  ///< of L2 or DRAM, whichever takes longer
  double l2_load_sectors = 0;      ///< this and the next three include atomics and spills
  double l2_store_sectors = 0;
  DramTraffic dram;
};

/// Models how long a launch takes, after Zhang and Owens, A Quantitative Performance Analysis Model
/// for GPU Architectures, HPCA 2011: each resource has a time of its own, and the largest counts.
/// How warps hide waiting follows Volkov, Understanding Latency Hiding on GPUs, 2016: the blocks on
/// an SM either keep it busy, or take as long as one of them alone. Blocks run in waves, the last
/// of which may be partly empty.
/// @throws std::invalid_argument if a count is negative or not finite, or if the launch cannot run
/// on the GPU (Occupancy::cannot_run).
KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work,
                       const core::Capability& capability);
KernelTime kernel_time(const core::GpuProfile& gpu, const KernelWork& work);

}  // namespace tilewise::model
