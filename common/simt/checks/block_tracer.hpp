#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/recorder/pattern.hpp"
#include "common/simt/runtime/shared_names.hpp"
#include "common/simt/trace.hpp"

namespace tilewise::simt {

/// The blocks of a grid that leave a trace: all of a small one; of a larger one along x and y the
/// first, the next and the last, so that there is an inner block and a block of each edge.
std::set<std::uint64_t> blocks_to_trace(dim3 grid);

/// Keeps the requests of the block that one operating-system thread runs.
class BlockTracer {
 public:
  /// @param wanted whether the launch is to leave a trace
  void start_launch(bool wanted, dim3 grid);

  void start_block(std::uint64_t number);

  /// Whether the running block is one of those that leave a trace.
  bool traces() const { return traces_; }

  void add(const Request& request, const Pattern& pattern);

  /// All threads are at a barrier, or done. @param shared the block's shared memory
  void end_interval(const std::byte* shared);

  void note_array(Place start);

  /// The block's trace. Its sites are words of Site32.
  BlockTrace take();

  /// The arrays that blocks of this launch have declared.
  std::vector<TracedArray> arrays(const SharedNames& names) const;

 private:
  std::set<std::uint64_t> chosen_;  ///< blocks
  std::size_t most_ = 0;            ///< accesses to keep of a block
  bool traces_ = false;
  std::size_t kept_ = 0;        ///< accesses of this block
  std::size_t first_open_ = 0;  ///< request of the running interval
  BlockTrace trace_;
  std::vector<Place> arrays_;
};

}  // namespace tilewise::simt
