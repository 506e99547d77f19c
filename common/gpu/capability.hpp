#pragma once

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::core {

/// What all cards of one compute capability have in common, as far as the course asks. A new
/// capability is one entry of the table in capability.cpp, where the sources are.
struct Capability {
  int major;
  int minor;

  // How a multiprocessor (SM) computes.
  int fp32_lanes_per_sm;
  int fp64_lanes_per_sm = 0;         ///< 0: none, or not known
  bool has_double_precision = true;  ///< from 1.3
  bool has_shuffles = true;          ///< from 3.0

  // How it serves a warp, and what a launch may ask for.
  bool serves_half_warps = false;    ///< 1.x: 16 lanes at a time, and segments rather than sectors
  bool partitions_in_turns = false;  ///< addresses go to DRAM partitions in turns (1.3), unhashed
  int argument_bytes_in_shared = 0;  ///< most that a kernel's arguments take there (1.x)
  unsigned most_blocks_x = 2147483647;  ///< of a grid; 65,535 until 3.0
  unsigned most_blocks_z = 65535;       ///< of a grid, as along y; 1 on 1.x
  /// 10^9 bytes a second of 16 lanes of its generation of PCI Express, one way, at most.
  double bus_gb_s = 15.75;

  /// Multiply-adds of an SM's tensor cores in a clock, at most; 0: they do not take such numbers.
  struct TensorRates {
    int half = 0;  ///< with sums in single precision
    int tf32 = 0;
    int fp64 = 0;
    int integer = 0;  ///< of 8 bits
  } tensor = {};

  int lanes_at_once() const { return serves_half_warps ? 16 : 32; }

  /// In which units an SM hands out registers and shared memory.
  struct Allocation {
    int most_registers_per_thread = 255;
    /// The SM's register file is split evenly over so many warp schedulers, and a warp's registers
    /// all lie with its own. 0: the file is whole, and a block takes its registers in one piece for
    /// an even number of warps.
    int partitions = 4;
    int register_unit = 256;     ///< registers, of a warp or of that piece
    int shared_unit = 128;       ///< bytes
    int shared_reserved = 1024;  ///< bytes of each block that CUDA uses itself
  } allocation = {};

  /// How many registers a thread takes where no compiler says it.
  struct Registers {
    /// Whether a compiler of today needs as many for another capability. Those for 1.x took few.
    bool as_of_today = true;
    int for_addresses = 24;
    int for_a_result = 2;
    int step = 8;  ///< they come in multiples of it
  } registers = {};

  /// What the model of a kernel's time knows beyond a card's profile. Clocks are those of an SM;
  /// rates are for each SM.
  struct Model {
    bool validated = false;  ///< against measurements; else taken over from another capability

    // Instructions of warps.
    double issued_per_clock = 4;
    double instructions_per_global_access = 4;  ///< its own and those for address and guard
    /// Compute capability 1.x only: clocks that a multiply-add takes longer if one of its operands
    /// is in shared memory; such a load then needs no instruction. 0: every load is an instruction.
    double shared_operand_clocks = 0;
    /// Global accesses take wavefronts of the unit that serves shared memory.
    bool global_shares_load_unit = true;

    // Waiting.
    double memory_latency = 500;  ///< clocks from a load to its value
    double arithmetic_latency =
        4;                        ///< clocks from a multiply-add to the next that needs its result
    double barrier_clocks = 70;   ///< that a block stands still at a barrier, until all are there
    double loads_in_flight = 16;  ///< of a warp, in a loop without barriers
    double tensor_latency = 33;   ///< clocks from mma.sync to the next that adds to its result
    /// What mma.sync reaches of the tensor cores' rate, other than in double precision: those
    /// of 9.0 have another instruction.
    double mma_sync_share = 1;

    // Memory. L2 of 1.x: none.
    bool l1_keeps_loads = true;
    double l2_bytes_per_clock = 21.2;
    double l2_lines_per_clock = 0.5;  ///< of 128 bytes, touched by a request; 0: no own limit
    double dram_efficiency = 0.89;  ///< the share of the theoretical bandwidth that a copy reaches
    /// Sectors' worth of time that a store without company in its sector costs L2, which with error
    /// correction reads what the store leaves; on 1.x a store or a load costs DRAM, which opens a
    /// page for it.
    double scattered_sectors = 1;
  } model = {};
};

/// The capability of a card, or else the one before it of the same major number, from which it
/// inherits; null where the table has neither.
const Capability* find_capability(int major, int minor);

/// The same, or else the nearest there is.
const Capability& capability_of(const GpuProfile& gpu);

}  // namespace tilewise::core
