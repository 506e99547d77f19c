#pragma once

#include <cstddef>
#include <cstdint>

#include "common/gpu/gpu_profile.hpp"

/// How often kernels for C = A * B, with matrices of n x n floats, access global memory: the
/// formulas of put2025 (Poznan University of Technology, 2025) and exact counts for any n.
namespace tilewise::model {

/// The elements that the threads of a whole launch read from and write to global memory.
struct ElementAccesses {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;

  std::uint64_t total() const { return loads + stores; }
};

/// For a kernel with one result a thread and no shared memory: it reads a row of A and a column of
/// B for every element of C.
ElementAccesses naive_accesses(std::uint64_t n);

/// The kernel with tiles in shared memory: blocks of tile x tile threads, each thread with rx
/// results along x and ry along y, so that a block has (tile * ry) x (tile * rx) results.
struct Tiling {
  int tile = 0;
  int rx = 1;
  int ry = 1;
};

/// The blocks of the grid: ceil(n / (tile * rx)) along x, and ceil(n / (tile * ry)) along y.
std::uint64_t blocks_along_x(const Tiling& tiling, std::uint64_t n);
std::uint64_t blocks_along_y(const Tiling& tiling, std::uint64_t n);
std::uint64_t blocks_of_grid(const Tiling& tiling, std::uint64_t n);

/// tile^2 * (rx + ry) * 4 bytes: As (tile * ry) x tile and Bs tile x (tile * rx).
std::size_t shared_bytes_per_block(const Tiling& tiling);

/// Every column of blocks reads A once, and every row of blocks reads B once; edges are filled with
/// zeros, not read. Exact for any n.
ElementAccesses tiled_accesses(const Tiling& tiling, std::uint64_t n);

/// In elements; equal to tiled_accesses().total() where tiles divide n:
double approximate_accesses(const Tiling& tiling, std::uint64_t n);

/// The operations of a launch, including multiplications by the zeros that fill up blocks at the
/// edges. One multiply-add is 2.
std::uint64_t operations(const Tiling& tiling, std::uint64_t n);

/// Compute to global memory access ratio for large n, in operations per element:
/// \f$\frac{2\,\mathit{tile}}{1 / r_x + 1 / r_y}\f$. nvprof's figures give twice that, because it
/// counts 16 transactions for a request of 32 floats.
double cgma(const Tiling& tiling);

/// The smallest n whose grid fills the GPU: blocks_of_grid() >= SMs * blocks resident on an SM.
/// @param active_blocks on one SM, at least 1 (Occupancy::active_blocks)
std::uint64_t saturating_order(const Tiling& tiling, const core::GpuProfile& gpu,
                               int active_blocks);

/// The fewest requests of warps for this many floats, one a lane: elements / 32, rounded up.
std::uint64_t fewest_requests(std::uint64_t elements);

/// The fewest 32-byte sectors for this many floats: elements / 8, rounded up.
std::uint64_t fewest_sectors(std::uint64_t elements);

}  // namespace tilewise::model
