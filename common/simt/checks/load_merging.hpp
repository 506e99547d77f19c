#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/pattern.hpp"
#include "common/simt/runtime/names.hpp"
#include "common/simt/watch.hpp"

namespace tilewise::simt {

/// Counts a load from shared memory into which `joined` neighbouring loads have been merged.
void count_merged_load(Counters& counters, const Pattern& pattern, unsigned joined);

/// Joins a thread's neighbouring 4- and 8-byte loads from shared memory into loads of 8 and 16
/// bytes, as nvcc does, and counts the resulting requests of a block's warps.
///
/// Loads of one pass through a loop join wherever their addresses are contiguous, upwards or
/// downwards, and aligned in every thread of the block, if the compiler can know the alignment: for
/// `extern __shared__ float s[]` it knows an alignment of 4 bytes. Loads of several passes join
/// once the compiler has unrolled the loop by four and moved them together, which it does as long
/// as the unrolled body stays small. The two limits on that are fitted to the ten tilings of
/// put2025, of which the compiler unrolled eight: it unrolled 6x6 results a thread, but neither 5x6
/// (more loads, since five neighbours cannot join) nor 8x8 (more registers).
///
/// A thread still has in a register what it loaded a moment ago, if no store and no barrier came
/// since: `sum[i][j] += As[i][ty][k] * Bs[j][k][tx]` loads rx + ry values for rx * ry products.
class LoadMerging {
 public:
  void start(std::size_t warps, const SharedNames& names) {
    warps_.assign(warps, {});
    names_ = &names;
  }

  /// Adds the next load of a warp, in the order of its code.
  /// @param counters those of the load's place in the code
  void add(unsigned warp, Place first_place, const Pattern& pattern, Counters& counters) {
    warps_[warp].push_back({first_place, &pattern, &counters});
  }

  /// Separates the warp's loads so far from those that follow: a store or a __syncwarp() lies
  /// between them.
  void separate(unsigned warp) {
    if (!warps_[warp].empty() && warps_[warp].back().pattern != nullptr) warps_[warp].push_back({});
  }

  /// Call at a barrier: counts the loads collected so far, and starts anew.
  void flush();

 private:
  struct Load {
    Place place;
    const Pattern* pattern;  ///< null: a separation
    Counters* counters;
  };
  using Loads = std::vector<Load>;

  /// Loads that join, as indices in the order of the code.
  struct Group {
    std::size_t members[4];
    unsigned count;
    std::size_t lowest;  ///< the member at the lowest address
    std::size_t span() const { return members[count - 1] - members[0]; }
    bool across_passes() const { return span() != count - 1; }
  };
  /// The loads that join in every warp that runs through the same loads.
  class Plan {
   public:
    /// @param alignment for each load, the bits set in any thread's address
    Plan(const Loads& loads, const std::vector<std::uint32_t>& alignment, const SharedNames& names);
    void count(const Loads& loads) const;

   private:
    bool join(std::size_t first, unsigned count);
    bool join_from(Place lowest, std::size_t first, unsigned count);
    std::size_t find(std::size_t first, Place place, std::size_t end) const;
    bool body_stays_small() const;

    const Loads& loads_;
    const std::vector<std::uint32_t>& alignment_;
    const SharedNames& names_;
    std::unordered_multimap<Place, std::size_t> by_place_;
    std::vector<bool> joined_;
    std::vector<Group> groups_;
    bool unrolled_ = false;
  };

  static bool alike(const Loads& a, const Loads& b);
  static std::vector<bool> repeats_in(const Loads& loads);
  void drop_repeats(Loads& loads, std::size_t warp);

  std::vector<Loads> warps_;
  const SharedNames* names_ = nullptr;
};

}  // namespace tilewise::simt
