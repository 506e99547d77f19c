#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "common/gpu/gpu_profile.hpp"

/// What pencil and paper say of a kernel before it runs.
namespace tilewise::model {

/// What a launch asks of a multiprocessor (SM).
struct LaunchNeeds {
  int threads_per_block = 1;
  int registers_per_thread = 0;  ///< as `nvcc -Xptxas -v` prints; 0: not known, taken as no limit
  /// Bytes, static and dynamic. On compute capability 1.x the kernel's arguments lie there, too,
  /// and the compiler's figure includes them.
  std::size_t shared_bytes_per_block = 0;
  std::optional<std::uint64_t> blocks;  ///< in the grid; without: more than the GPU holds at a time
};

/// What a kernel's arguments take of the shared memory of its blocks on compute capability 1.x:
/// their bytes and 16, where the grid's and the block's extents lie (put2014's kernels of three
/// pointers and an int have 44 bytes more than their tiles). Nothing on later ones.
std::size_t arguments_in_shared(const core::GpuProfile& gpu, std::size_t argument_bytes);

/// Of every GPU so far.
constexpr int threads_per_warp = 32;

/// How many blocks an SM could hold if it had nothing else to run out of.
constexpr int unlimited = std::numeric_limits<int>::max();

/// How a launch fills an SM: the theoretical occupancy.
struct Occupancy {
  // What one block takes, rounded up to the units that the SM allocates in.
  int warps_per_block = 0;
  int registers_per_block = 0;
  std::size_t shared_bytes_per_block = 0;  ///< with what CUDA reserves for itself

  // Blocks that fit on an SM by each of its resources alone, or `unlimited`.
  int limit_by_warps = 0;
  int limit_by_blocks = 0;
  int limit_by_registers = 0;
  int limit_by_shared = 0;

  // What is resident on an SM at a time; on the fullest one, where the grid is small.
  int active_blocks = 0;
  int active_warps = 0;
  int active_threads = 0;
  double percent = 0;  ///< active warps of those that an SM can hold

  /// What keeps another block away: "warps", "blocks", "registers", "shared memory" or "the grid's
  /// size"; several where they run out together.
  std::vector<std::string> limited_by;
  /// A sentence why the launch fails and what to change; empty where it can run.
  std::string cannot_run;
};

/// The occupancy of a launch, as NVIDIA's occupancy calculator has it, for compute capability 1.2,
/// 1.3, 6.0, 6.1, 7.0, 7.5, 8.0, 8.6, 8.9 and 9.0. Limits of an SM come from the profile.
/// @throws std::invalid_argument where the profile has another compute capability.
Occupancy occupancy(const core::GpuProfile& gpu, const LaunchNeeds& launch);

/// What a launch would have to be for an SM to hold at least one block more of it than it does: the
/// same, with as much as then fits of what ran out. Where warps ran out together with something
/// else, the block becomes smaller first. Nothing where the launch cannot run, or where an SM holds
/// no more blocks whatever they take.
/// @throws std::invalid_argument as occupancy()
std::optional<LaunchNeeds> for_one_block_more(const core::GpuProfile& gpu,
                                              const LaunchNeeds& launch);

}  // namespace tilewise::model
