#include "common/gpu/capability.hpp"

#include <algorithm>
#include <cstdlib>

namespace tilewise::core {

namespace {

// The sources of the columns. An entry that leaves out a column has the default of the header: the
// value of compute capability 9.0, which later capabilities and those that nobody has measured
// resemble most.
//
// Lanes: Programming Guide, "Multiprocessor" of each compute capability, and its table "Throughput
// of Native Arithmetic Instructions".
//
// Tensor cores: white papers of the architectures (V100, Turing, A100, GA102, H100), for dense
// matrices and sums in single precision. Latency on 9.0: Luo and others, Benchmarking and
// Dissecting the Nvidia Hopper GPU Architecture, 2024. The rates that mma.sync reaches there were
// measured on an H200 with sums in registers alone: 637.7 TFLOPS of halves, 318.9 of tf32 and 66.1
// of doubles (23 November 2026).
//
// Arguments in shared memory: Programming Guide 2.3, "__global__": at most 256 bytes.
//
// Allocation: for 1.x, NVIDIA's CUDA_Occupancy_calculator.xls, sheet "GPU Data"; from 5.0 on,
// cuda_occupancy.h of the CUDA Toolkit. Registers a thread: Programming Guide, "Technical
// Specifications per Compute Capability". The reserved KiB: tuning guides for Ampere, Ada and
// Hopper, "Unified Shared Memory/L1/Texture Cache".
//
// Registers: put2014 has 10 to 14 for one result and 34 for four.
//
// Parameters of the model that are documented or were measured:
//
// - Instructions issued a clock: 1.x issues one in 4 clocks (8 lanes for 32 threads); 6.0 has two
//   schedulers, 6.1 and later have four, each of which issues one a clock. Programming Guide,
//   "Multiprocessor".
// - Instructions a global access: on 6.x, put2025's published IPC gives 6 to 12 beyond the loads
//   and multiply-adds; 9.0 has half of that, because the course's kernels step pointers on; on 1.x
//   it is the access alone.
// - Operand in shared memory: muni2009 measured 622 GFLOPS of multiply-adds, and 415 with one
//   operand in shared memory, so that 4 clocks become 6.
// - Memory latency, rounded: for 1.x, Programming Guide 2.3, 400 to 600 clocks (a fit to put2014's
//   version 1 gives 397); for 6.x and 9.0, microbenchmarks (Jia and others, Dissecting the NVIDIA
//   Volta GPU Architecture via Microbenchmarking, 2018, and later ones of its kind).
// - Arithmetic latency: for 1.x, Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra,
//   2008; for later ones, Jia and others.
// - Loads in flight: on 1.x, the next instruction that needs a load waits for it; on 6.x, loops are
//   unrolled by 4, with two loads each; on 9.0, nvcc 13 has up to 32 loads in flight, of which half
//   are counted (set by hand).
// - L1: put2025's L2 reads are the sectors of all its loads, so a GTX 1080 does not keep them; the
//   P100's global dgemm of fing2020 reaches the rate that L2 gives.
// - L1's lines: an H200 takes 33.5 clocks for a step of a product whose lanes read 32 rows of A
//   (docs/measurements/2026-11-22-styles-h200.md, 499 GFLOPS): one clock for each line of A, and
//   one for the line of B.
// - Scattered stores: CUDA C++ Best Practices Guide, "Theoretical Bandwidth Calculation", describes
//   error correction in HBM; the GTX 1080 has none.
// - DRAM efficiency: on 1.x, muni2009's copy reaches 112.4 of 141.7 GB/s; on 9.0, a copy on an H200
//   reaches 4284 of 4800; the value of 6.x lies in between.
//
// Parameters of the model that were fitted, each on part of the rows of its document
// (docs/measurements/2026-11-21-model.md):
//
// - 6.1: the clocks of a barrier and the bytes of L2 are fitted on put2025 n = 1600 and 4096. The
//   kernel behind the barrier's clocks loads what it needs just before the barrier, so they include
//   waiting that the model does not see there.
// - 6.0: the bytes of L2 are fitted on fing2020's 512 x 512 products; the barrier's clocks are
//   taken from 6.1.
// - 1.x: the scattered store is fitted on muni2009's naive transpose.
// - 9.0: the clocks of a barrier and the lines of L2 are fitted on H200 n = 2048 and 16384; the
//   lines were fitted again when L1's lines got a time of their own. The bytes of L2 are about the
//   5.5 TB/s that microbenchmarks of H100s read.

constexpr Capability::Allocation tesla_allocation = {.most_registers_per_thread = 124,
                                                     .partitions = 0,
                                                     .register_unit = 512,
                                                     .shared_unit = 512,
                                                     .shared_reserved = 0};
constexpr Capability::Registers tesla_registers = {
    .as_of_today = false, .for_addresses = 8, .for_a_result = 6, .step = 2};
constexpr Capability::Model tesla_model = {.validated = true,
                                           .issued_per_clock = 0.25,
                                           .instructions_per_global_access = 1,
                                           .shared_operand_clocks = 2,
                                           .global_shares_load_unit = false,
                                           .memory_latency = 400,
                                           .arithmetic_latency = 24,
                                           .barrier_clocks = 0,
                                           .loads_in_flight = 1,
                                           .l1_keeps_loads = false,
                                           .l2_bytes_per_clock = 0,
                                           .l2_lines_per_clock = 0,
                                           .dram_efficiency = 0.79,
                                           .scattered_sectors = 4.75};

constexpr Capability::Allocation before_ampere = {.shared_unit = 256, .shared_reserved = 0};

// Bus: PCI Express 2.0 on GT 21x and GT 200, 3.0 until Turing, 4.0 on Ampere and Ada, 5.0 from
// Hopper on, at PCI-SIG's rates of 0.5, 0.985, 1.97 and 3.94 GB/s a lane. Maxwell to Turing have
// the default.
// The entries are in ascending order. A capability without an entry is treated as the one before it
// of the same major number.
constexpr Capability all[] = {
    // Tesla: GT 21x, GT 200
    {.major = 1,
     .minor = 2,
     .fp32_lanes_per_sm = 8,
     .has_double_precision = false,
     .has_shuffles = false,
     .serves_half_warps = true,
     .argument_bytes_in_shared = 256,
     .most_blocks_x = 65535,
     .most_blocks_z = 1,
     .bus_gb_s = 8,
     .allocation = tesla_allocation,
     .registers = tesla_registers,
     .model = tesla_model},
    {.major = 1,
     .minor = 3,
     .fp32_lanes_per_sm = 8,
     .has_shuffles = false,
     .serves_half_warps = true,
     .partitions_in_turns = true,
     .argument_bytes_in_shared = 256,
     .most_blocks_x = 65535,
     .most_blocks_z = 1,
     .bus_gb_s = 8,
     .allocation = tesla_allocation,
     .registers = tesla_registers,
     .model = tesla_model},
    // Maxwell
    {.major = 5,
     .minor = 0,
     .fp32_lanes_per_sm = 128,
     .fp64_lanes_per_sm = 4,
     .allocation = before_ampere},
    // Pascal: GP100, GP10x
    {.major = 6,
     .minor = 0,
     .fp32_lanes_per_sm = 64,
     .fp64_lanes_per_sm = 32,
     .allocation = {.partitions = 2, .shared_unit = 256, .shared_reserved = 0},
     .model = {.validated = true,
               .issued_per_clock = 2,
               .instructions_per_global_access = 8,
               .global_shares_load_unit = false,
               .arithmetic_latency = 6,
               .barrier_clocks = 587,
               .loads_in_flight = 8,
               .l1_keeps_loads = false,
               .l2_bytes_per_clock = 14.9,
               .l2_lines_per_clock = 0,
               .dram_efficiency = 0.85}},
    {.major = 6,
     .minor = 1,
     .fp32_lanes_per_sm = 128,
     .fp64_lanes_per_sm = 4,
     .allocation = before_ampere,
     .model = {.validated = true,
               .instructions_per_global_access = 8,
               .global_shares_load_unit = false,
               .arithmetic_latency = 6,
               .barrier_clocks = 587,
               .loads_in_flight = 8,
               .l1_keeps_loads = false,
               .l2_bytes_per_clock = 35.7,
               .l2_lines_per_clock = 0,
               .dram_efficiency = 0.85,
               .scattered_sectors = 0}},
    // Volta, Turing
    {.major = 7,
     .minor = 0,
     .fp32_lanes_per_sm = 64,
     .fp64_lanes_per_sm = 32,
     .tensor = {.half = 512},
     .allocation = before_ampere},
    {.major = 7,
     .minor = 5,
     .fp32_lanes_per_sm = 64,
     .fp64_lanes_per_sm = 2,
     .tensor = {.half = 512, .integer = 1024},
     .allocation = before_ampere},
    // Ampere: GA100, GA10x; Ada
    {.major = 8,
     .minor = 0,
     .fp32_lanes_per_sm = 64,
     .fp64_lanes_per_sm = 32,
     .bus_gb_s = 31.5,
     .tensor = {.half = 1024, .tf32 = 512, .fp64 = 64, .integer = 2048}},
    {.major = 8,
     .minor = 6,
     .fp32_lanes_per_sm = 128,
     .fp64_lanes_per_sm = 2,
     .bus_gb_s = 31.5,
     .tensor = {.half = 256, .tf32 = 128, .integer = 1024}},
    // Hopper
    {.major = 9,
     .minor = 0,
     .fp32_lanes_per_sm = 128,
     .fp64_lanes_per_sm = 64,
     .bus_gb_s = 63,
     .tensor = {.half = 2048, .tf32 = 1024, .fp64 = 128, .integer = 4096},
     .model = {.validated = true, .mma_sync_share = 0.6}},
    // Blackwell. 10.3 has far fewer lanes for double precision than 10.0.
    {.major = 10, .minor = 0, .fp32_lanes_per_sm = 128, .fp64_lanes_per_sm = 64, .bus_gb_s = 63},
    {.major = 10, .minor = 3, .fp32_lanes_per_sm = 128, .bus_gb_s = 63},
    {.major = 12, .minor = 0, .fp32_lanes_per_sm = 128, .fp64_lanes_per_sm = 2, .bus_gb_s = 63},
};

}  // namespace

const Capability* find_capability(int major, int minor) {
  const Capability* found = nullptr;
  for (const Capability& capability : all) {
    if (capability.major == major && capability.minor <= minor) found = &capability;
  }
  return found;
}

const Capability& capability_of(const GpuProfile& gpu) {
  if (const Capability* found = find_capability(gpu.compute_major, gpu.compute_minor)) {
    return *found;
  }
  const auto distance = [&](const Capability& capability) {
    return std::abs(10 * (capability.major - gpu.compute_major) +
                    (capability.minor - gpu.compute_minor));
  };
  return *std::ranges::min_element(all, {}, distance);
}

}  // namespace tilewise::core
