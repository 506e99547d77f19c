#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/trace.hpp"

namespace tilewise::simt {

/// Returns the blocks of a grid that leave a trace: all blocks of a small grid; in a larger one the
/// first, the second and the last along x and y, so that there is an inner block and a block of
/// each edge.
std::set<std::uint64_t> blocks_to_trace(dim3 grid);

/// Records the requests of the blocks that leave a trace.
class Tracing final : public Observer {
 public:
  void begin_launch(const Watch& watch, const LaunchConfiguration& launch) override;
  void start(const BlockWatch& block) override;
  void start_block(bool tags_anew) override;
  void access(const Access& access) override;
  void shared_array(Place start) override;
  void end_interval() override;
  void finish_block() override;
  void end_launch(const LaunchResults& results) override;

 private:
  std::set<std::uint64_t> chosen_;  ///< numbers of blocks
  std::size_t most_ = 0;            ///< the most accesses to record of a block
  std::size_t kept_ = 0;            ///< accesses of this block recorded so far
  std::size_t first_open_ = 0;      ///< first request of the current interval
  BlockTrace trace_;                ///< site members hold words of Site32 here
  std::vector<Place> arrays_;       ///< arrays that the blocks traced here have declared
};

}  // namespace tilewise::simt
