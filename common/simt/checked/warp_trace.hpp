#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/simt/checked/pattern.hpp"
#include "common/simt/checked/recorder.hpp"

namespace tilewise::simt {

/// The accesses of one warp's lanes, put back together to the instructions of a warp.
///
/// As long as all lanes run the same sites in the same order, row i is one instruction. Where they
/// diverge, the lanes whose next access stands first in the code go first, and take along all lanes
/// that are to do the same access: so lanes that skipped a branch wait behind it, as on a GPU.
class WarpTrace {
 public:
  WarpTrace() : rows_(new WarpRows) {}

  std::uint32_t* start_of(unsigned lane) { return &rows_->sites[0][lane]; }
  std::uint32_t* end() { return rows_->sites[trace_rows]; }
  WarpRows& rows() { return *rows_; }

  /// Where each lane's next access goes; the running lane's is in the recorder.
  std::uint32_t*& cursor(unsigned lane) { return cursors_[lane]; }
  std::size_t count(unsigned lane) const {
    return static_cast<std::size_t>(cursors_[lane] - &rows_->sites[0][lane]) / trace_lanes;
  }
  void start() {
    for (unsigned lane = 0; lane < trace_lanes; ++lane) cursors_[lane] = start_of(lane);
  }

  /// Takes out all instructions, in order. @param waiting lanes that have more to come before they
  /// synchronise: what they have not caught up with stays.
  template <class Consumer>
  void take(unsigned warp, std::uint32_t waiting, Consumer&& consume);

 private:
  bool row_agrees(std::size_t row, std::uint32_t site, std::uint32_t lanes) const;
  void keep_from(const std::array<std::size_t, trace_lanes>& heads);

  std::unique_ptr<WarpRows> rows_;
  std::array<std::uint32_t*, trace_lanes> cursors_{};
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
void WarpTrace::take(unsigned warp, std::uint32_t waiting, Consumer&& consume) {
  std::array<std::size_t, trace_lanes> counts;
  std::uint32_t active = 0;
  bool alike = true;
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
  if (alike) {
    const auto first = static_cast<unsigned>(__builtin_ctz(active));
    for (; row < longest; ++row) {
      const std::uint32_t site = rows_->sites[row][first];
      if (site == 0 || !row_agrees(row, site, active)) break;
      consume(Request{Site32(site), active, rows_->places[row], rows_->olds[row], warp});
    }
    if (row == longest) return start();
  }

  std::array<std::size_t, trace_lanes> heads;
  heads.fill(row);
  for (;;) {
    std::uint32_t next = 0, lanes = 0;
    for (unsigned lane = 0; lane < trace_lanes; ++lane) {
      if ((active >> lane & 1u) == 0) continue;
      if (heads[lane] >= counts[lane]) {
        if ((waiting >> lane & 1u) != 0) return keep_from(heads);
        active &= ~(1u << lane);
        continue;
      }
      const std::uint32_t site = rows_->sites[heads[lane]][lane];
      if (lanes == 0 || Site32(site).code() < Site32(next).code()) {
        next = site;
        lanes = 0;
      }
      if (site == next) lanes |= 1u << lane;
    }
    if (lanes == 0) return start();
    Place places[trace_lanes];
    std::uint32_t olds[trace_lanes];
    for (unsigned lane = 0; lane < trace_lanes; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      places[lane] = rows_->places[heads[lane]][lane];
      olds[lane] = rows_->olds[heads[lane]][lane];
      ++heads[lane];
    }
    if (next != 0) consume(Request{Site32(next), lanes, places, olds, warp});
  }
}

inline void WarpTrace::keep_from(const std::array<std::size_t, trace_lanes>& heads) {
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
