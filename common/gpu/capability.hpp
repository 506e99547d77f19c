#pragma once

#include "common/gpu/gpu_profile.hpp"

namespace tilewise::core {

/// The properties of a compute capability that the course needs and that all its cards share. To
/// add a capability, add an entry to the table in capability.cpp, which also names the sources.
struct Capability {
  int major;
  int minor;

  // How a multiprocessor (SM) computes.
  int fp32_lanes_per_sm;
  int fp64_lanes_per_sm = 0;         ///< 0: none, or not known
  bool has_double_precision = true;  ///< from 1.3
  bool has_shuffles = true;          ///< from 3.0

  // How it serves a warp, and what limits a launch.
  bool serves_half_warps = false;    ///< 1.x: serves 16 lanes at a time, in segments, not sectors
  bool partitions_in_turns = false;  ///< 1.3: addresses take DRAM partitions in turn, unhashed
  int argument_bytes_in_shared = 0;  ///< the most that a kernel's arguments take there (1.x)
  unsigned most_blocks_x = 2147483647;  ///< the most blocks of a grid; 65,535 before 3.0
  unsigned most_blocks_z = 65535;       ///< along z; 65,535 along y on every card; 1 on 1.x
  /// The highest rate one way of 16 lanes of its generation of PCI Express, in 10^9 bytes a second.
  double bus_gb_s = 15.75;

  /// The most multiply-adds that an SM's tensor cores make in a clock; 0: they do not take such
  /// numbers.
  struct TensorRates {
    int half = 0;  ///< the sums are in single precision
    int tf32 = 0;
    int fp64 = 0;
    int integer = 0;  ///< integers of 8 bits
  } tensor = {};

  int lanes_at_once() const { return serves_half_warps ? 16 : 32; }

  /// The units in which an SM hands out registers and shared memory.
  struct Allocation {
    int most_registers_per_thread = 255;
    /// The number of warp schedulers over which the SM's register file is evenly split; a warp's
    /// registers all lie with its own scheduler. 0: the file is not split, and a block takes its
    /// registers in one piece, as if for an even number of warps.
    int partitions = 4;
    int register_unit = 256;     ///< in registers, for a warp or for a block's piece
    int shared_unit = 128;       ///< bytes
    int shared_reserved = 1024;  ///< bytes of each block that CUDA itself uses
  } allocation = {};

  /// How many registers a thread takes if no compiler has said so.
  struct Registers {
    /// Whether today's compilers, which compile for other capabilities, need as many. The compilers
    /// for 1.x needed few.
    bool as_of_today = true;
    int for_addresses = 24;
    int for_a_result = 2;
    int step = 8;  ///< a thread's registers come in multiples of it
  } registers = {};

  /// Parameters of the model of a kernel's time that a card's profile does not have. Clocks are an
  /// SM's clocks, and rates are per SM.
  struct Model {
    bool validated = false;  ///< against measurements; else it is another capability's model

    // Warp instructions.
    double issued_per_clock = 4;
    double instructions_per_global_access = 4;  ///< itself, and those for address and guard
    /// Compute capability 1.x only: the extra clocks that a multiply-add takes if one of its
    /// operands is in shared memory; such a load then needs no instruction. 0: every load is an
    /// instruction.
    double shared_operand_clocks = 0;
    /// Whether global accesses take wavefronts of the unit that serves shared memory.
    bool global_shares_load_unit = true;

    // Latencies and waiting.
    double memory_latency = 500;  ///< clocks from a load to its value
    /// Clocks from a multiply-add to the next one that needs its result.
    double arithmetic_latency = 4;
    double barrier_clocks = 70;   ///< for which a block waits until all its warps are there
    double loads_in_flight = 16;  ///< of a warp in a loop without barriers
    double tensor_latency = 33;   ///< clocks from mma.sync to the next that adds to its result
    /// The share of the tensor cores' rate that mma.sync reaches, except in double precision: the
    /// tensor cores of 9.0 have another instruction.
    double mma_sync_share = 1;

    // Memory. 1.x has no L2.
    bool l1_keeps_loads = true;
    double l2_bytes_per_clock = 21.2;
    double l2_lines_per_clock = 0.5;  ///< lines of 128 bytes that requests touch; 0: no such limit
    double dram_efficiency = 0.89;  ///< the share of the theoretical bandwidth that a copy reaches
    /// The extra time, counted in sectors, of a store that is alone in its sector: L2, with error
    /// correction, has to read the rest of the sector; on 1.x DRAM has to open a page, and does so
    /// for such a load, too.
    double scattered_sectors = 1;
  } model = {};
};

/// The entry of a capability, or else the entry before it of the same major number, whose
/// properties it inherits; null if the table has neither.
const Capability* find_capability(int major, int minor);

/// The same for a card, or else the nearest entry in the table.
const Capability& capability_of(const GpuProfile& gpu);

}  // namespace tilewise::core
