#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/simt/simt.hpp"

/// Records kernels request by request, for pictures of small calls. Watch::trace turns this on;
/// only modules of the checked build are recorded.
namespace tilewise::simt {

/// A launch of more blocks than this leaves a trace of its corners, its first inner block and its
/// edges.
inline constexpr std::size_t most_traced_blocks = 16;

/// The number of thread accesses that the blocks of a launch record in total, divided equally among
/// them. Whatever a block does beyond its share is left out.
inline constexpr std::size_t most_traced_accesses = 400'000;

/// The number of launches of a call that leave a trace; later ones leave none.
inline constexpr std::size_t most_traced_launches = 16;

/// One instruction of one warp.
struct TracedRequest {
  enum class Action { load, store, atomic };
  Action action = Action::load;
  bool shared = false;         ///< it accesses shared memory, otherwise device memory
  std::uint32_t interval = 0;  ///< number of barriers that the block had passed
  std::uint32_t warp = 0;      ///< number of the warp within the block
  std::uint32_t site = 0;      ///< index into KernelTrace::sites
  std::uint32_t bytes = 0;     ///< size of each lane's access
  std::uint32_t lanes = 0;     ///< one bit for each lane that takes part
  /// Byte offset in the memory, for each lane that takes part, in order.
  std::vector<std::uint32_t> at;
  /// For a store to shared memory: what lies there when the interval ends, in words of 4 bytes,
  /// with as many words for each lane as its access has.
  std::vector<std::uint32_t> words;
  /// For device memory the sectors moved (on 1.x the bytes moved, divided by 32), for shared memory
  /// the wavefronts.
  std::uint32_t cost = 0;
  /// For device memory the distinct bytes asked for, for shared memory the wavefronts that bank
  /// conflicts add.
  std::uint32_t detail = 0;
};

/// A place in the code that accesses memory. A line may have several.
struct TracedSite {
  std::string file;  ///< empty if unknown
  int line = 0;
};

/// A `__shared__` array.
struct TracedArray {
  std::string name;
  std::uint32_t start = 0;  ///< offset in shared memory, in bytes
  std::uint32_t element_bytes = 0;
  std::vector<std::size_t> extents;
};

/// What one block did.
struct BlockTrace {
  std::uint64_t number = 0;  ///< number in the grid, with x counted first
  /// Intervals between barriers, including those of which nothing was recorded.
  std::uint32_t intervals = 0;
  bool cut = false;  ///< the block did more than was recorded
  /// Sorted by interval; one warp's requests keep their order.
  std::vector<TracedRequest> requests;
};

/// The trace of one launch.
struct KernelTrace {
  LaunchRecord launch = {};
  std::vector<TracedSite> sites;
  std::vector<TracedArray> arrays;
  std::vector<BlockTrace> blocks;  ///< sorted by number
};

/// Returns the traces of the launches since the last call.
std::vector<KernelTrace> take_traces();

/// Returns where a pointer lies in device memory, as TracedRequest::at counts.
std::uint32_t place_in_device_memory(const void* device_pointer);

}  // namespace tilewise::simt
