#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/simt.hpp"

/// Kernels at work, request by request: for pictures of small calls. Asked for by Watch::trace, and
/// seen in modules of the checked build only.
namespace tilewise::simt {

/// A launch of more blocks leaves a trace of its corners, its first inner block and its edges.
inline constexpr std::size_t most_traced_blocks = 16;

/// Accesses of threads that the blocks of a launch leave together, each an equal part of them. What
/// a block does beyond that is left out.
inline constexpr std::size_t most_traced_accesses = 400'000;

/// Launches of a call that leave a trace; later ones leave none.
inline constexpr std::size_t most_traced_launches = 16;

/// One instruction of one warp.
struct TracedRequest {
  enum class Action { load, store, atomic };
  Action action = Action::load;
  bool shared = false;            ///< shared memory, else device memory
  std::uint32_t interval = 0;     ///< barriers that the block had passed
  std::uint32_t warp = 0;         ///< within the block
  std::uint32_t site = 0;         ///< index into KernelTrace::sites
  std::uint32_t bytes = 0;        ///< of each lane's access
  std::uint32_t lanes = 0;        ///< bits: which take part
  std::vector<std::uint32_t> at;  ///< of each lane that takes part, in order: byte of the memory
  /// Of a store to shared memory: what lies there when the interval ends, in words of 4 bytes, as
  /// many a lane as its access has.
  std::vector<std::uint32_t> words;
  /// Sectors moved, on 1.x bytes moved over 32; of shared memory wavefronts.
  std::uint32_t cost = 0;
  /// Distinct bytes asked for; of shared memory wavefronts that bank conflicts add.
  std::uint32_t detail = 0;
};

/// A place in the code that touches memory. A line may have several.
struct TracedSite {
  std::string file;  ///< empty where unknown
  int line = 0;
};

/// A `__shared__` array.
struct TracedArray {
  std::string name;
  std::uint32_t start = 0;  ///< byte of shared memory
  std::uint32_t element_bytes = 0;
  std::vector<std::size_t> extents;
};

/// What one block did.
struct BlockTrace {
  std::uint64_t number = 0;     ///< in the grid, x counted first
  std::uint32_t intervals = 0;  ///< between barriers, those included that nothing is kept of
  bool cut = false;             ///< it did more than is kept
  std::vector<TracedRequest> requests;  ///< by interval; those of one warp in their order
};

/// A launch as it went.
struct KernelTrace {
  LaunchRecord launch = {};
  std::vector<TracedSite> sites;
  std::vector<TracedArray> arrays;
  std::vector<BlockTrace> blocks;  ///< by number
};

/// The traces of the launches since the last call.
std::vector<KernelTrace> take_traces();

/// Where a pointer lies in device memory, as TracedRequest::at counts.
std::uint32_t place_in_device_memory(const void* device_pointer);

}  // namespace tilewise::simt
