#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilewise::simt {

/// Who made an access and between which synchronisations: 22 bits of moment, 10 bits of thread.
/// Moments count up over all blocks that one operating-system thread runs.
using Tag = std::uint32_t;

inline constexpr unsigned thread_bits = 10;  // blocks have at most 1,024 threads
constexpr Tag make_tag(std::uint32_t moment, unsigned thread) {
  return moment << thread_bits | thread;
}
constexpr std::uint32_t moment_of(Tag tag) { return tag >> thread_bits; }
constexpr unsigned thread_of(Tag tag) { return tag & ((1u << thread_bits) - 1); }
constexpr unsigned warp_of_thread(unsigned thread) { return thread / 32; }

/// What has been synchronised with what in the running block: all threads at a barrier, the lanes
/// of a mask at a __syncwarp().
class Moments {
 public:
  /// @return whether the numbers have run out, so that every tag there is must be forgotten.
  bool start_block(std::size_t warps) {
    const bool run_out = now_ >= last;
    now_ = run_out ? 1 : now_ + 1;
    block_first_ = barrier_ = now_;
    barriers_ = 0;
    synced_.clear();
    synced_.resize(warps);
    return run_out;
  }
  void pass_barrier() {
    barrier_ = ++now_;
    ++barriers_;
  }
  void sync_lanes(unsigned warp, std::uint32_t mask) {
    ++now_;
    if (!synced_[warp]) synced_[warp] = std::make_unique<Matrix>(Matrix{});
    Matrix& synced = *synced_[warp];
    // What one of them was synchronised with, now all of them are.
    std::array<std::uint32_t, 32> joined{};
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) == 0) continue;
      for (unsigned other = 0; other < 32; ++other) {
        joined[other] = std::max(joined[other], synced[lane][other]);
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) != 0) joined[lane] = now_;
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((mask >> lane & 1u) != 0) synced[lane] = joined;
    }
  }

  Tag tag(unsigned thread) const { return make_tag(now_, thread); }
  /// The lowest tag of this block, and of what no barrier has passed since.
  Tag block_first() const { return make_tag(block_first_, 0); }
  Tag interval_first() const { return make_tag(barrier_, 0); }
  unsigned barriers() const { return barriers_; }

  /// Whether the access of `tag` is unordered with what `thread` does now.
  bool concurrent(Tag tag, unsigned thread) const {
    if (tag < interval_first() || thread_of(tag) == thread) return false;
    const unsigned warp = warp_of_thread(thread);
    if (warp_of_thread(thread_of(tag)) != warp || !synced_[warp]) return true;
    return moment_of(tag) >= (*synced_[warp])[thread % 32][thread_of(tag) % 32];
  }

 private:
  /// By lane and other lane: the moment they last synchronised.
  using Matrix = std::array<std::array<std::uint32_t, 32>, 32>;
  static constexpr std::uint32_t last = (1u << (32 - thread_bits)) - 100'000;  // a block's room

  std::uint32_t now_ = 0, block_first_ = 0, barrier_ = 0;
  unsigned barriers_ = 0;
  std::vector<std::unique_ptr<Matrix>> synced_;
};

}  // namespace tilewise::simt
