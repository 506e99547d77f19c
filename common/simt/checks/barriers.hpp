#pragma once

#include "common/simt/runtime/observer.hpp"

namespace tilewise::simt {

/// Says why the threads of a block, or the lanes of a warp, cannot meet.
class Barriers final : public Observer {
 public:
  std::optional<Finding> stuck(const StuckBlock& stuck) override;
};

}  // namespace tilewise::simt
