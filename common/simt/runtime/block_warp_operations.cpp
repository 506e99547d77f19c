#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/include/tilewise/warp.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/runtime/warp_products.hpp"

// The operations that the lanes of a warp perform together, and `__activemask()`.
namespace tilewise::simt {

namespace {

WarpOperation operation_named(std::string_view call) {
  if (call == "__syncwarp()") return WarpOperation::barrier;
  return call.substr(0, 6) == "__shfl" ? WarpOperation::shuffle : WarpOperation::vote;
}

}  // namespace

/// Returns what a warp's operation computes from the values that the lanes in `arrived` have
/// offered.
static std::uint64_t folded(WarpFold how, const std::uint64_t (&offered)[32], unsigned arrived,
                            int lane) {
  if (how == WarpFold::product || how == WarpFold::rows) {
    if (lane != std::countr_zero(arrived)) return 0;
    how == WarpFold::product ? multiply_of_warp(offered, arrived)
                             : hand_rows_round_warp(offered, arrived);
    return 0;
  }
  const auto signed_number = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  std::uint64_t result = offered[lane], same = 0;
  if (how == WarpFold::add || how == WarpFold::bits_of_one) result = 0;
  for (int other = 0; other < 32; ++other) {
    if ((arrived >> other & 1u) == 0) continue;
    const std::uint64_t value = offered[other];
    same |= std::uint64_t{value == offered[lane]} << other;
    if (how == WarpFold::add) result += value;
    if (how == WarpFold::bits_of_one) result ^= value;
    if (how == WarpFold::bits_of_both) result &= value;
    if (how == WarpFold::bits_of_either) result |= value;
    if (how == WarpFold::min_unsigned) result = std::min(result, value);
    if (how == WarpFold::max_unsigned) result = std::max(result, value);
    const bool smaller = signed_number(value) < signed_number(result);
    if (how == WarpFold::min_signed ? smaller : how == WarpFold::max_signed && !smaller) {
      result = value;
    }
  }
  if (how == WarpFold::match_any) return same;
  if (how == WarpFold::match_all) return same == arrived ? arrived : 0;
  return result;
}

Switch Block::arrive_at_warp_operation(const char* what, Site site, unsigned mask,
                                       std::uint64_t value, int source_lane) {
  Thread& thread = *running_;
  const std::size_t position = number_of(thread);
  const std::size_t warp_index = warp_of(position);
  const unsigned own_lane = 1u << lane_of(position);
  Warp& warp = warps_[warp_index];
  thread.runs_from = not_until_woken;
  const bool folds = source_lane >= static_cast<int>(WarpFold::match_any);
  lanes_[position] = {value, 0, folds ? source_lane : source_lane & 31, {what, site}};

  const WaitingThread caller = {thread.index, what, site};
  if ((mask & own_lane) == 0) {
    return break_off(&thread.context, {.why = StuckBlock::Why::outside_mask,
                                       .block = blockIdx,
                                       .threads = {&caller, 1},
                                       .mask = mask,
                                       .lane = lane_of(position)});
  }
  Gathering* gathering = nullptr;
  for (Gathering& other : warp.gatherings) {
    // Lanes that have gone on to a call of more lanes wait there until these lanes come to it, too.
    if (other.mask == mask && same_name(other.wait.what, what)) gathering = &other;
  }
  if (gathering == nullptr) {
    warp.gatherings.push_back({mask, 0, {what, site}});
    gathering = &warp.gatherings.back();
  }
  gathering->arrived |= own_lane;
  if (complete(warp, warp_index, *gathering)) return {nullptr, nullptr};
  return leave(thread);
}

bool Block::complete(Warp& warp, std::size_t warp_index, Gathering& gathering) {
  if (gathering.arrived != (gathering.mask & warp.live)) return false;
  if (watch_ != nullptr) {
    watch_->pass_warp_operation(static_cast<unsigned>(warp_index), gathering.arrived,
                                operation_named(gathering.wait.what));
  }
  const std::size_t first = warp_index * 32;
  std::uint64_t offered[32];
  unsigned ballot = 0;
  for (int lane = 0; lane < 32; ++lane) {
    // The value of a lane that takes no part is undefined; a NaN makes its use visible.
    offered[lane] = ~std::uint64_t{0};
    if ((gathering.arrived >> lane & 1u) == 0) continue;
    offered[lane] = lanes_[first + lane].value;
    ballot |= (offered[lane] != 0 ? 1u : 0u) << lane;
  }
  const int first_lane = std::countr_zero(gathering.arrived);
  if (gathering.arrived != ~0u && needs_all_lanes(lanes_[first + first_lane].source)) {
    tell_of_missing_lane(first + first_lane, std::countr_one(gathering.arrived), gathering);
  }
  if (watch_ != nullptr &&
      lanes_[first + first_lane].source == static_cast<int>(WarpFold::product)) {
    watch_->note_product(product_of_warp(offered[first_lane]));
  }
  for (int lane = 0; lane < 32; ++lane) {
    if ((gathering.arrived >> lane & 1u) == 0) continue;
    const int source = lanes_[first + lane].source;
    if (source < 32 && (gathering.arrived >> source & 1u) == 0 && wanted_watch_.strict) {
      tell_of_missing_lane(first + lane, source, gathering);
    }
    const std::uint64_t received =
        source < 32 ? offered[source]
                    : folded(static_cast<WarpFold>(source), offered, gathering.arrived, lane);
    lanes_[first + lane] = {received, ballot, source, {}};
    threads_[turns_[first + lane]].runs_from = 0;
  }
  for (Gathering& other : warp.gatherings) {
    const unsigned awaited = other.mask & gathering.arrived;
    if (&other == &gathering || awaited == 0) continue;
    if (!same_place(other.wait.site, gathering.wait.site)) continue;
    other.elsewhere |= awaited;
    other.other_mask = gathering.mask;
  }
  gathering = warp.gatherings.back();
  warp.gatherings.pop_back();
  return true;
}

const Block::Gathering* Block::left_waiting_by(std::size_t thread) const {
  for (const Gathering& gathering : warps_[warp_of(thread)].gatherings) {
    if ((gathering.elsewhere >> lane_of(thread) & 1u) != 0) return &gathering;
  }
  return nullptr;
}

void Block::complete_gatherings_without(std::size_t thread) {
  const std::size_t warp_index = warp_of(thread);
  Warp& warp = warps_[warp_index];
  for (std::size_t i = 0; i < warp.gatherings.size();) {
    if (!complete(warp, warp_index, warp.gatherings[i])) ++i;
  }
}

Switch Block::arrive_at_active_mask(Site site) {
  Thread& thread = *running_;
  const std::size_t position = number_of(thread);
  thread.runs_from = not_until_woken;
  lanes_[position].wait = {"__activemask()", site};
  warps_[warp_of(position)].asking |= 1u << lane_of(position);
  ++asking_;
  yields_ = 0;
  return leave(thread);
}

// Called once no thread can go on but those that wait in `__activemask()`: the lanes that have come
// to the same place by then are answered together. This matches hardware that parts lanes as late,
// and joins them as early, as it can. Lanes at a later line keep waiting, because the others may
// come there, too.
bool Block::answer_active_masks() {
  if (asking_ == 0) return false;
  yields_ = 0;
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    const Wait* first = nullptr;
    const auto for_each_asking = [&](auto&& visit) {
      for (unsigned lanes = warps_[warp].asking; lanes != 0; lanes &= lanes - 1) {
        visit(warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes)));
      }
    };
    for_each_asking([&](std::size_t thread) {
      const Wait& wait = lanes_[thread].wait;
      if (first == nullptr || wait.site.line < first->site.line) first = &wait;
    });
    if (first == nullptr) continue;
    const Site site = first->site;
    unsigned together = 0;
    for_each_asking([&](std::size_t thread) {
      if (same_place(lanes_[thread].wait.site, site)) together |= 1u << lane_of(thread);
    });
    warps_[warp].asking &= ~together;
    for (unsigned lanes = together; lanes != 0; lanes &= lanes - 1) {
      const std::size_t thread = warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes));
      lanes_[thread].ballot = together;
      lanes_[thread].wait = {};
      threads_[turns_[thread]].runs_from = 0;
      --asking_;
    }
  }
  return true;
}

// The functions that the facade's headers call, always from within a kernel.

Switch arrive_at_warp_operation(const char* what, Site site, unsigned mask, std::uint64_t value,
                                int source_lane) {
  return running_block().arrive_at_warp_operation(what, site, mask, value, source_lane);
}

Switch arrive_at_active_mask(Site site) { return running_block().arrive_at_active_mask(site); }

std::uint64_t value_from_passed_warp_operation() { return running_block().passed_value(); }
unsigned ballot_of_passed_warp_operation() { return running_block().passed_ballot(); }
int lane_index() { return running_block().lane(); }

void note_lost_shuffle(const char* what, Site site, int distance) {
  if (device::is_whole_program()) return;  // the lanes' own values may be what it means to get
  device::record_explanation(
      {.kind = "lost-shuffle",
       .message =
           tr("{} on line {} moves values by {} lanes, and a warp has 32: beyond its end each "
              "lane gets its own value back",
              what, site.line, distance),
       .file = site.file,
       .line = site.line});
}

unsigned live_lanes() { return running_block().live_lanes(); }

}  // namespace tilewise::simt
