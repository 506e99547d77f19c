#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"

/// What can be worked out on paper about a kernel before it runs.
namespace tilewise::model {

/// What a launch needs from a multiprocessor (SM).
struct LaunchNeeds {
  int threads_per_block = 1;
  int registers_per_thread = 0;  ///< as `nvcc -Xptxas -v` prints; 0: unknown, taken as no limit
  /// Bytes of static and dynamic shared memory. On compute capability 1.x the kernel's arguments
  /// lie there, too, and the compiler's figure includes them.
  std::size_t shared_bytes_per_block = 0;
  /// In the grid; if empty, more than the GPU holds at a time.
  std::optional<std::uint64_t> blocks;
};

/// The bytes of a block's shared memory that a kernel's arguments take on compute capability 1.x:
/// their size plus 16, where the grid's and the block's extents lie (put2014's kernels of three
/// pointers and an int have 44 bytes more than their tiles). 0 on later capabilities.
std::size_t arguments_in_shared(const core::GpuProfile& gpu, std::size_t argument_bytes);

/// The same on every GPU so far.
constexpr int threads_per_warp = 32;

/// Means that a resource does not limit the blocks on an SM.
constexpr int unlimited = std::numeric_limits<int>::max();

/// How a launch fills an SM: its theoretical occupancy.
struct Occupancy {
  // The needs of one block, rounded up to the units in which the SM allocates.
  int warps_per_block = 0;
  int registers_per_block = 0;
  std::size_t shared_bytes_per_block = 0;  ///< including what CUDA reserves for itself

  // The blocks that each resource of an SM alone allows, or `unlimited`.
  int limit_by_warps = 0;
  int limit_by_blocks = 0;
  int limit_by_registers = 0;
  int limit_by_shared = 0;

  // What is resident on an SM at a time; if the grid is small, on the fullest SM.
  int active_blocks = 0;
  int active_warps = 0;
  int active_threads = 0;
  double percent = 0;  ///< active warps, as a share of those that an SM can hold

  /// What prevents another block: "warps", "blocks", "registers", "shared memory" or "the grid's
  /// size"; several of them if they run out together.
  std::vector<std::string> limited_by;
  /// A sentence on why the launch fails and what to change; empty if it can run.
  std::string cannot_run;
};

/// The occupancy of a launch as NVIDIA's occupancy calculator gives it, for every compute
/// capability that find_capability() finds; tested for 1.2, 1.3, 6.0, 6.1, 7.0, 7.5, 8.0, 8.6, 8.9
/// and 9.0. The limits of an SM come from the profile.
/// @throws std::invalid_argument if find_capability() finds none for the profile.
Occupancy occupancy(const core::GpuProfile& gpu, const LaunchNeeds& launch);

/// Returns how a launch would have to change for an SM to hold at least one block more than it
/// does: the same launch, with as much of each resource that ran out as then fits. If warps ran out
/// together with something else, the block becomes smaller first. Returns nothing if the launch
/// cannot run, or if an SM holds no more blocks no matter how little they need.
/// @throws std::invalid_argument as occupancy()
std::optional<LaunchNeeds> for_one_block_more(const core::GpuProfile& gpu,
                                              const LaunchNeeds& launch);

}  // namespace tilewise::model
