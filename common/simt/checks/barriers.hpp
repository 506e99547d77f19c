#pragma once

#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Reports why the threads of a block, or the lanes of a warp, cannot meet, or do not meet where
/// they should.
class Barriers final : public Observer {
 public:
  std::optional<Finding> stuck(const StuckBlock& stuck) override;
  std::optional<Finding> skipped(const SkippedBarrier& skipped) override;
  std::optional<Finding> shuffled(const ShuffleFromNowhere& shuffled) override;
};

}  // namespace tilewise::simt
