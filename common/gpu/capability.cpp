#include "common/gpu/capability.hpp"

#include <algorithm>
#include <cstdlib>

namespace tilewise::core {

namespace {

// Where the columns come from. Where an entry leaves one out, the value is the header's: that of
// compute capability 9.0, which later ones and those that nobody has measured resemble most.
//
// Lanes: Programming Guide, "Multiprocessor" of each compute capability, and its table "Throughput
// of Native Arithmetic Instructions".
//
// Tensor cores: white papers of the architectures (V100, Turing, A100, GA102, H100), dense, with
// sums in single precision. Latency on 9.0: Luo and others, Benchmarking and Dissecting the Nvidia
// Hopper GPU Architecture, 2024. What mma.sync reaches there: an H200, 637.7 TFLOPS of halves and
// 318.9 of tf32 with sums in registers alone, 66.1 of doubles (23 November 2026).
//
// Arguments in shared memory: Programming Guide 2.3, "__global__": at most 256 bytes.
//
// Allocation. 1.x: NVIDIA's CUDA_Occupancy_calculator.xls, sheet "GPU Data". From 5.0:
// cuda_occupancy.h of the CUDA Toolkit; registers a thread, Programming Guide, "Technical
// Specifications per Compute Capability"; the reserved KiB, tuning guides for Ampere, Ada and
// Hopper, "Unified Shared Memory/L1/Texture Cache".
//
// Registers: put2014's 10 to 14 for one result and 34 for four.
//
// Model, as documented or measured:
//
// - Instructions issued a clock: 1.x, one in 4 (8 lanes for 32 threads); 6.0, two schedulers; 6.1
//   and later, four, of which each issues one. Programming Guide, "Multiprocessor".
// - Instructions a global access: 6.x, put2025's published IPC gives 6 to 12 beyond the loads and
//   multiply-adds; 9.0, half of that, since the course's kernels step pointers on; 1.x, itself.
// - Operand in shared memory: muni2009 measured 622 GFLOPS of multiply-adds, 415 with one operand
//   in shared memory, so that 4 clocks become 6.
// - Memory latency, rounded: 1.x, Programming Guide 2.3, 400 to 600 clocks (a fit to put2014's
//   version 1 gives 397); 6.x and 9.0, microbenchmarks (Jia and others, Dissecting the NVIDIA Volta
//   GPU Architecture via Microbenchmarking, 2018, and later ones of its kind).
// - Arithmetic latency: 1.x, Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra,
//   2008; then Jia and others.
// - Loads in flight: 1.x, the next instruction that needs one waits; 6.x, loops unrolled by 4, two
//   loads each; 9.0, nvcc 13 has up to 32 on their way, of which half are counted (set by hand).
// - L1: put2025's L2 reads are the sectors of all its loads, so a GTX 1080 does not keep them; the
//   P100's global dgemm of fing2020 reaches what L2 gives.
// - L1's lines: an H200 takes 33.5 clocks for a step of a product whose lanes read 32 rows of A
//   (docs/measurements/2026-11-22-styles-h200.md, 499 GFLOPS): a line each, and one of B.
// - Scattered stores: CUDA C++ Best Practices Guide, "Theoretical Bandwidth Calculation", of error
//   correction in HBM; the GTX 1080 has none.
// - DRAM efficiency: 1.x, muni2009's copy, 112.4 of 141.7 GB/s; 9.0, a copy on an H200, 4284 of
//   4800; 6.x, in between.
//
// Model, fitted, each on part of the rows of its document (docs/measurements/2026-11-21-model.md):
//
// - 6.1: clocks of a barrier and bytes of L2, put2025 n = 1600 and 4096. The barrier's clocks are
//   of a kernel that loads what it needs just before; they hold what the model does not see there.
// - 6.0: bytes of L2, fing2020's 512 x 512 products; the barrier's clocks are taken from 6.1.
// - 1.x: the scattered store, muni2009's naive transpose.
// - 9.0: clocks of a barrier and lines of L2, H200 n = 2048 and 16384; the latter anew since L1's
//   lines have a time of their own. Bytes of L2: about what microbenchmarks of H100s read, 5.5
//   TB/s.

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

// Bus: PCI Express 2.0 of GT 21x and GT 200, 3.0 until Turing, 4.0 of Ampere and Ada, 5.0 from
// Hopper on; PCI-SIG's rates of 0.5, 0.985, 1.97 and 3.94 GB/s a lane. Maxwell to Turing are as the
// default.
// In ascending order. What is not listed is as the one before it of the same major number.
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
    // Blackwell. 10.3 has far fewer lanes of double precision than 10.0.
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
