#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Adds up what the blocks of a launch did.
class LaunchCounts {
 public:
  /// @param blocks of the grid
  explicit LaunchCounts(std::uint64_t blocks);

  /// @param weight blocks of the grid that each of the counted ones stands for
  void add(const BlockWatch::Counted& counted, std::uint64_t weight);

  /// Adds what one block moved.
  void add(std::uint64_t block, const PartitionBytes& moved);

  /// @param code an address in the kernel's code
  KernelProfile profile(std::uintptr_t code) const;

 private:
  std::mutex mutex_;
  std::map<std::uint32_t, Counters> sites_;
  std::uint64_t barriers_ = 0;
  std::uint64_t shuffles_ = 0;
  std::uint64_t blocks_;
  std::uint64_t blocks_a_run_;
  std::vector<PartitionBytes> partitions_by_run_;  ///< empty until a block adds to it
};

}  // namespace tilewise::simt
