#pragma once

#include <cstddef>
#include <cstdint>

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

/// Checks that a launch can have such counts.
/// @throws std::invalid_argument if one is negative or not finite, if the grid has no blocks, or if
/// partition_imbalance is below 1
void demand_counts(const KernelWork& work);

/// A warp has this many lanes on every GPU.
constexpr double lanes_per_warp = 32;

/// The multiply-adds that tensor cores make; other lanes have no part in them.
double tensor_products(const KernelWork& work);

/// How often a thread stores results, each time after all steps of a sum.
double times_of_storing(const KernelWork& work);

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

}  // namespace tilewise::model
