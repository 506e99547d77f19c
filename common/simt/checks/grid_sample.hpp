#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Chooses blocks that stand for all blocks of a grid.
///
/// Along each axis the first block, the last one and those between are told apart. The blocks
/// between differ at most in how their addresses lie in a sector, which repeats every few blocks:
/// the period is found by comparing the signatures of blocks a period apart. Blocks from the middle
/// of the grid must agree with those that stand for them, and their addresses must have moved in
/// proportion to the block's index; a grid where they do not, or that has no period, is irregular.
class GridSample {
 public:
  /// @param longest_period in blocks; a power of two
  GridSample(dim3 grid, unsigned longest_period);

  /// Blocks to simulate next, by number; none when done.
  std::vector<std::uint64_t> wanted() const;

  void add(std::uint64_t block, BlockWatch::Counted counted);

  /// Looks at what was simulated. Call after all wanted blocks are in, until nothing is wanted.
  void judge();

  /// The blocks say nothing of the grid: simulate all of them, or estimate().
  bool irregular() const { return irregular_; }

  /// Of an irregular grid: from now on some blocks, one at random of each of equal parts of the
  /// grid, stand for all. Those that have not been simulated yet are wanted next.
  void estimate(std::uint64_t seed);

  /// What a block in the grid needs of device memory, and how much of it its neighbours need, too.
  /// Also for an irregular grid.
  Footprint footprint() const;

  /// Calls `use(counted, weight)` for each block that stands for `weight` blocks of the grid.
  template <class Use>
  void for_each(Use&& use) const {
    for (const auto& [block, weight] : weights()) use(blocks_.at(block), weight);
  }

 private:
  /// Coordinates along one axis of which each stands for `count`.
  struct Group {
    unsigned coordinate;
    std::uint64_t count;
    bool inner;
  };
  using Index = std::array<unsigned, 3>;

  std::vector<Group> groups(int axis) const;
  std::uint64_t number(const Index& index) const;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> weights() const;
  template <class Visit>
  void for_each_group(Visit&& visit) const;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_along(int axis) const;
  Index origin() const;
  bool reaches_on(std::size_t axis) const;
  const BlockWatch::Counted* neighbour_of_origin(std::size_t axis) const;
  Index midst(unsigned thirds) const;
  bool midst_is_as_foreseen() const;
  std::vector<std::uint64_t> missing_of(const std::set<std::uint64_t>& all) const;
  bool agree(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) const;

  Index extents_;
  unsigned longest_period_;
  std::array<unsigned, 3> periods_{1, 1, 1};
  bool done_ = false;
  bool irregular_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> estimate_;  ///< as weights()
  std::map<std::uint64_t, BlockWatch::Counted> blocks_;
};

}  // namespace tilewise::simt
