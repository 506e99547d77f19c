#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/recorder/control_flow.hpp"
#include "common/simt/recorder/pattern.hpp"
#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

/// The accesses of one warp's lanes, put back together into the instructions of the warp.
///
/// As long as all lanes run the same sites in the same order, row i is one instruction. Where they
/// diverge, the lanes that have come least far in the control flow go first (LanePosition in
/// control_flow.hpp), together with all lanes that have come as far: lanes that skipped a branch
/// thus wait behind it, as on a GPU.
class WarpTrace {
 public:
  WarpTrace() : rows_(new WarpRows) {}

  std::uint32_t* start_of(unsigned lane) { return &rows_->sites[0][lane]; }
  std::uint32_t* end() { return rows_->sites[trace_rows]; }
  WarpRows& rows() { return *rows_; }

  /// Where each lane's next access goes; the recorder holds the running lane's.
  std::uint32_t*& cursor(unsigned lane) { return cursors_[lane]; }
  std::size_t count(unsigned lane) const {
    return static_cast<std::size_t>(cursors_[lane] - &rows_->sites[0][lane]) / trace_lanes;
  }
  void start() {
    for (unsigned lane = 0; lane < trace_lanes; ++lane) cursors_[lane] = start_of(lane);
    ahead_.clear();
    behind_.clear();
  }

  /// Takes out all instructions, in order.
  /// @param waiting the lanes that will make more accesses before they synchronise: instructions
  /// that these have not reached yet stay in the trace
  template <class Consumer>
  void take(CodeOrder& order, unsigned warp, std::uint32_t waiting, Consumer&& consume);

 private:
  /// Lanes at one position.
  struct Group {
    LanePosition position;
    std::uint32_t lanes;
    std::uint32_t site = 0;  ///< site of their next access
  };
  using Heads = std::array<std::size_t, trace_lanes>;

  bool row_agrees(std::size_t row, std::uint32_t site, std::uint32_t lanes) const;
  bool advance(CodeOrder& order, Group group, Heads& heads, const Heads& counts,
               std::uint32_t waiting);
  void join(Group group);
  void keep_from(const Heads& heads);

  std::unique_ptr<WarpRows> rows_;
  std::array<std::uint32_t*, trace_lanes> cursors_{};
  std::vector<Group> ahead_;   ///< the positions of lanes' next accesses
  std::vector<Group> behind_;  ///< the last positions of lanes that have no next access yet
};

inline bool WarpTrace::row_agrees(std::size_t row, std::uint32_t site, std::uint32_t lanes) const {
  const std::uint32_t(&sites)[trace_lanes] = rows_->sites[row];
  std::uint32_t difference = 0;
  if (lanes == ~0u) {
    for (unsigned lane = 0; lane < trace_lanes; ++lane) difference |= sites[lane] ^ site;
  } else {
    for (unsigned lane = 0; lane < trace_lanes; ++lane) {
      difference |= (lanes >> lane & 1u) != 0 ? sites[lane] ^ site : 0;
    }
  }
  return difference == 0;
}

template <class Consumer>
void WarpTrace::take(CodeOrder& order, unsigned warp, std::uint32_t waiting, Consumer&& consume) {
  Heads counts;
  std::uint32_t active = 0;
  bool alike = ahead_.empty() && behind_.size() < 2;
  std::size_t longest = 0;
  for (unsigned lane = 0; lane < trace_lanes; ++lane) {
    counts[lane] = count(lane);
    if (counts[lane] == 0) continue;
    alike &= active == 0 || counts[lane] == longest;
    active |= 1u << lane;
    longest = counts[lane] > longest ? counts[lane] : longest;
  }
  if (active == 0) return;

  std::size_t row = 0;
  LanePosition together;
  if (alike) {
    const auto first = static_cast<unsigned>(__builtin_ctz(active));
    for (; row < longest; ++row) {
      const std::uint32_t site = rows_->sites[row][first];
      if (site == 0 || !row_agrees(row, site, active)) break;
      consume(Request{Site32(site), active, rows_->places[row], rows_->olds[row], warp});
    }
    if (row == longest) return start();
    if (row > 0) {
      behind_.clear();
      together.advance(order, rows_->sites[row - 1][first]);
    }
  }

  Heads heads;
  heads.fill(row);
  bool stays = false;  // some lane has to wait for more accesses
  std::uint32_t unplaced = active;
  for (const Group& group : ahead_) unplaced &= ~group.lanes;
  for (Group& group : std::exchange(behind_, {})) {
    unplaced &= ~group.lanes;
    stays |= advance(order, std::move(group), heads, counts, waiting);
  }
  if (unplaced != 0) stays |= advance(order, {together, unplaced}, heads, counts, waiting);
  while (!stays && !ahead_.empty()) {
    const auto next = std::ranges::min_element(ahead_, {}, &Group::position);
    Group group = std::move(*next);
    ahead_.erase(next);
    Place places[trace_lanes];
    std::uint32_t olds[trace_lanes];
    for (std::uint32_t lanes = group.lanes; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
      places[lane] = rows_->places[heads[lane]][lane];
      olds[lane] = rows_->olds[heads[lane]][lane];
      ++heads[lane];
    }
    consume(Request{Site32(group.site), group.lanes, places, olds, warp});
    stays = advance(order, std::move(group), heads, counts, waiting);
  }
  if (stays) return keep_from(heads);
  start();
}

// Returns whether a lane has no next access yet, but will have one.
inline bool WarpTrace::advance(CodeOrder& order, Group group, Heads& heads, const Heads& counts,
                               std::uint32_t waiting) {
  for (std::uint32_t lanes = group.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    while (heads[lane] < counts[lane] && rows_->sites[heads[lane]][lane] == 0) ++heads[lane];
  }
  std::uint32_t ended = 0;
  std::uint32_t left = group.lanes;
  while (left != 0) {
    const auto first = static_cast<unsigned>(__builtin_ctz(left));
    if (heads[first] >= counts[first]) {
      ended |= 1u << first;
      left &= left - 1;
      continue;
    }
    const std::uint32_t site = rows_->sites[heads[first]][first];
    std::uint32_t alike = 0;
    for (std::uint32_t lanes = left; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
      const bool same = heads[lane] < counts[lane] && rows_->sites[heads[lane]][lane] == site;
      alike |= (same ? 1u : 0u) << lane;
    }
    left &= ~alike;
    const bool last = left == 0 && ended == 0;
    Group next{last ? std::move(group.position) : group.position, alike, site};
    next.position.advance(order, site);
    join(std::move(next));
  }
  ended &= waiting;
  if (ended != 0) behind_.push_back({std::move(group.position), ended});
  return ended != 0;
}

inline void WarpTrace::join(Group group) {
  for (Group& other : ahead_) {
    if (other.site != group.site || other.position != group.position) continue;
    other.lanes |= group.lanes;
    return;
  }
  ahead_.push_back(std::move(group));
}

inline void WarpTrace::keep_from(const Heads& heads) {
  for (unsigned lane = 0; lane < trace_lanes; ++lane) {
    const std::size_t end = count(lane);
    std::size_t to = 0;
    for (std::size_t from = heads[lane]; from < end; ++from, ++to) {
      rows_->sites[to][lane] = rows_->sites[from][lane];
      rows_->places[to][lane] = rows_->places[from][lane];
      rows_->olds[to][lane] = rows_->olds[from][lane];
    }
    cursors_[lane] = start_of(lane) + to * trace_lanes;
  }
}

}  // namespace tilewise::simt
