#pragma once

#include "common/core/gpu_profile.hpp"

namespace tilewise::theory {

/// What the model of a kernel's time knows of a generation of GPUs beyond its profile. Clocks are
/// those of an SM; rates are for each SM. Values and sources: generation.cpp.
struct Generation {
  int compute_major;
  int compute_minor;
  bool validated;  ///< against measurements; else taken over from another generation

  // Instructions of warps.
  double issued_per_clock;
  double instructions_per_global_access;  ///< its own and those for address and guard
  /// Compute capability 1.x only: clocks that a multiply-add takes longer if one of its operands is
  /// in shared memory; such a load then needs no instruction. 0: every load is an instruction.
  double shared_operand_clocks;
  bool global_shares_load_unit;  ///< global accesses take wavefronts of the unit that serves shared

  // Waiting.
  double memory_latency;      ///< clocks from a load to its value
  double arithmetic_latency;  ///< clocks from a multiply-add to the next that needs its result
  double barrier_clocks;      ///< that a block stands still at a barrier, until all warps are there
  double loads_in_flight;     ///< of a warp, in a loop without barriers

  // Memory. L2 of 1.x: none.
  bool l1_keeps_loads;
  double l2_bytes_per_clock;
  double l2_lines_per_clock;  ///< of 128 bytes, touched by a request of a warp
  double dram_efficiency;     ///< the share of the theoretical bandwidth that a copy reaches
  /// Sectors' worth of time that a store without company in its sector costs DRAM (1.x).
  double scattered_store_sectors;
};

/// The generation of a GPU; of the nearest validated compute capability where its own is not known.
const Generation& generation_of(const core::GpuProfile& gpu);

}  // namespace tilewise::theory
