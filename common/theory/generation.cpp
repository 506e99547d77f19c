#include "common/theory/generation.hpp"

#include <cstdlib>

namespace tilewise::theory {

namespace {

// Where from:
//
// - Instructions issued a clock: 1.x, one in 4 (8 lanes for 32 threads); 6.0, two schedulers; 6.1
// and
//   later, four, of which each issues one. Programming Guide, "Multiprocessor" of each compute
//   capability.
// - Instructions a global access: 6.x, put2025's published IPC gives 6 to 12 beyond the loads and
//   multiply-adds; 9.0, half of that, since the course's kernels step pointers on; 1.x, itself.
// - Operand in shared memory: muni2009 measured 622 GFLOPS of multiply-adds, 415 with one operand
// in
//   shared memory, so that 4 clocks become 6.
// - Memory latency, rounded: 1.x, Programming Guide 2.3, 400 to 600 clocks (a fit to put2014's
//   version 1 gives 397); 6.x and 9.0, microbenchmarks (Jia and others, Dissecting the NVIDIA Volta
//   GPU Architecture via Microbenchmarking, 2018, and later ones of its kind).
// - Arithmetic latency: 1.x, Volkov and Demmel, Benchmarking GPUs to Tune Dense Linear Algebra,
// 2008;
//   then Jia and others.
// - Loads in flight: 1.x, the next instruction that needs one waits; 6.x, loops unrolled by 4, two
//   loads each; 9.0, nvcc 13 has up to 32 on their way, of which half are counted (set by hand).
// - L1: put2025's L2 reads are the sectors of all its loads, so a GTX 1080 does not keep them; the
//   P100's global dgemm of fing2020 reaches what L2 gives.
// - DRAM efficiency: 1.x, muni2009's copy, 112.4 of 141.7 GB/s; 9.0, a copy on an H200, 4284 of
//   4800; 6.x, in between.
//
// Fitted, each on part of the rows of its document (docs/measurements/2026-11-21-model.md):
//
// - 6.1: clocks of a barrier and bytes of L2, put2025 n = 1600 and 4096. The barrier's clocks are
// of a
//   kernel that loads what it needs just before; they hold what the model does not see there.
// - 6.0: bytes of L2, fing2020's 512 x 512 products; the barrier's clocks are taken from 6.1.
// - 1.x: the scattered store, muni2009's naive transpose.
// - 9.0: clocks of a barrier and lines of L2, H200 n = 2048 and 16384. Bytes of L2: about what
//   microbenchmarks of H100s read, 5.5 TB/s.
constexpr Generation all[] = {
    // cc, validated, issued, a global access, shared operand, one load unit,
    //    memory, arithmetic, barrier, in flight,
    //    L1 keeps, L2 bytes, L2 lines (0: no limit of its own), DRAM, scattered
    {1, 2, true, 0.25, 1, 2, false, 400, 24, 0, 1, false, 0, 0, 0.79, 4.75},
    {1, 3, true, 0.25, 1, 2, false, 400, 24, 0, 1, false, 0, 0, 0.79, 4.75},
    {6, 0, true, 2, 8, 0, false, 500, 6, 587, 8, false, 14.9, 0, 0.85, 0},
    {6, 1, true, 4, 8, 0, false, 500, 6, 587, 8, false, 35.7, 0, 0.85, 0},
    {9, 0, true, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
    // As 9.0, which they resemble most.
    {7, 0, false, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
    {7, 5, false, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
    {8, 0, false, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
    {8, 6, false, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
    {8, 9, false, 4, 4, 0, true, 500, 4, 70, 16, true, 21.2, 0.355, 0.89, 0},
};

}  // namespace

const Generation& generation_of(const core::GpuProfile& gpu) {
  const Generation* nearest = &all[0];
  const auto distance = [&](const Generation& generation) {
    return std::abs(10 * (generation.compute_major - gpu.compute_major) +
                    (generation.compute_minor - gpu.compute_minor));
  };
  for (const Generation& generation : all) {
    if (distance(generation) < distance(*nearest)) nearest = &generation;
  }
  return *nearest;
}

}  // namespace tilewise::theory
