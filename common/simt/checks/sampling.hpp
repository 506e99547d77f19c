#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "common/simt/checks/block_footprint.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// What the sample keeps of one block.
struct BlockSample {
  std::uint64_t signature = 0;  ///< equal for blocks whose warps made the same requests
  /// The first places in device memory that each of the block's sites accessed, combined into one
  /// number that is linear in each of them.
  std::uint64_t position = 0;
  BlockFootprint footprint;
};

/// Chooses blocks that stand for all blocks of a grid.
/// Along each axis, the first block, the last block and the blocks in between are distinguished.
/// The blocks in between differ at most in how their addresses lie within a sector, which repeats
/// every few blocks: the period is found by comparing the signatures of blocks that lie a period
/// apart. Blocks from the middle of the grid must agree with those that stand for them, and their
/// addresses must have moved in proportion to the block's index. A grid where they do not, or that
/// has no period, is irregular.
class GridSample {
 public:
  /// @param longest_period a number of blocks; a power of two
  GridSample(dim3 grid, unsigned longest_period);

  /// Returns the numbers of the blocks to simulate next; none when the sample is complete.
  std::vector<std::uint64_t> wanted() const;

  void add(std::uint64_t block, BlockSample sample);

  /// Evaluates the blocks that were simulated. Call when all wanted blocks are in, until none is
  /// wanted.
  void judge();

  /// Whether no blocks stand for the grid, so that the caller has to simulate all of them, or call
  /// estimate().
  bool irregular() const { return irregular_; }

  /// For an irregular grid: from now on, some blocks stand for all, one chosen at random from each
  /// of equal parts of the grid. Those that have not been simulated yet are wanted next.
  void estimate(std::uint64_t seed);

  /// Returns what a block inside the grid needs of device memory, and how much of that its
  /// neighbours need, too. Works for an irregular grid as well.
  Footprint footprint() const;

  /// Returns the blocks that stand for the grid.
  BlockWeights weights() const;

 private:
  /// A coordinate along one axis that stands for `count` coordinates.
  struct Group {
    unsigned coordinate;
    std::uint64_t count;
    bool inner;
  };
  using Index = std::array<unsigned, 3>;

  std::vector<Group> groups(int axis) const;
  std::uint64_t number(const Index& index) const;
  template <class Visit>
  void for_each_group(Visit&& visit) const;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs_along(int axis) const;
  Index origin() const;
  bool reaches_on(std::size_t axis) const;
  const BlockSample* neighbour_of_origin(std::size_t axis) const;
  Index midst(unsigned thirds) const;
  bool midst_is_as_foreseen() const;
  std::vector<std::uint64_t> missing_of(const std::set<std::uint64_t>& all) const;
  bool agree(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& pairs) const;

  Index extents_;
  unsigned longest_period_;
  std::array<unsigned, 3> periods_{1, 1, 1};
  bool done_ = false;
  bool irregular_ = false;
  BlockWeights estimate_;  ///< the same as weights() returns
  std::map<std::uint64_t, BlockSample> blocks_;
};

/// Lets a few blocks of a grid run and stand for all of it, where that is possible.
class Sampling final : public Observer {
 public:
  void begin_launch(const Watch& watch, const LaunchConfiguration& launch) override;
  std::vector<std::uint64_t> next_of_sample() override;
  BlockWeights weights() override;
  void end_launch(const LaunchResults& results) override;

  void start(const BlockWatch& block) override;
  void start_block(bool tags_anew) override;
  void access(const Access& access) override;
  void copy_begun(const BegunCopy& copy, AccessRecord by) override;
  void copies_arrived(unsigned batches, AccessRecord wait) override;
  void barrier(std::size_t live_warps) override;
  void finish_block() override;

 private:
  FootprintWriter footprint_;
  BlockSample sample_;
  /// By SiteState::number: the last block that reached the site.
  std::vector<std::uint64_t> last_blocks_;
  std::uint64_t blocks_started_ = 0;
};

}  // namespace tilewise::simt
