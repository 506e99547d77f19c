#pragma once

#include <string>
#include <vector>

#include "common/gpu/capability.hpp"
#include "common/gpu/gpu_profile.hpp"
#include "common/model/kernel_work.hpp"

namespace tilewise::model {

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
