#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/observer.hpp"
#include "common/simt/runtime/warp_products.hpp"

// Threads of a block that wait at different places, or that the others wait for in vain: whether
// the block goes on, and what the observers are told of it.
namespace tilewise::simt {

template <class Ask>
void Block::tell(Ask&& ask) {
  if (watch_ == nullptr || !wanted_watch_.checks) return;
  watch_->pause_recording();
  for (Observer* observer : process_observers()) {
    if (auto found = ask(*observer)) {
      Findings::instance().add(std::move(*found), static_cast<std::uint32_t>(block_));
    }
  }
  watch_->go_on_recording();
}

bool Block::agrees(Thread& thread, const Wait& wait) {
  if (arrived_ == 0) barrier_ = wait;
  return same_place(barrier_.site, wait.site) || goes_on_divided(thread, wait);
}

// Hardware counts the threads that arrive, whichever barrier they arrive at. This does not hold for
// the lanes of one warp: what happens to those differs between GPU generations.
bool Block::goes_on_divided(Thread& thread, const Wait& wait) {
  if (!wanted_watch_.strict) return false;
  if (barrier_.what != nullptr) {
    const WaitingThread threads[] = {{thread.index, wait.what, wait.site},
                                     {some_waiting().index, barrier_.what, barrier_.site}};
    // Until now, all threads waited at the same barrier.
    for (const Thread& other : threads_) {
      if (other.runs_from != interval_ + 1) continue;
      warps_[warp_of(number_of(other))].barrier = barrier_;
    }
    Wait& known = warps_[warp_of(number_of(thread))].barrier;
    if (known.what != nullptr && !same_place(known.site, wait.site)) return false;
    tell([&](Observer& o) { return o.stuck({StuckBlock::Why::divided, blockIdx, threads}); });
    barrier_ = {};  // from here on, every thread that arrives is checked
  }
  Wait& of_warp = warps_[warp_of(number_of(thread))].barrier;
  if (of_warp.what == nullptr) of_warp = wait;
  return same_place(of_warp.site, wait.site);
}

const Block::Thread& Block::some_waiting(std::optional<std::size_t> of_warp) const {
  return *std::find_if(threads_.begin(), threads_.end(), [&](const Thread& other) {
    return other.runs_from == interval_ + 1 && (!of_warp || warp_of(number_of(other)) == *of_warp);
  });
}

// A thread that has never come to a barrier may have been left out of all the block's work, as if
// it had returned at once.
void Block::tell_of_skipped_barrier() {
  const std::size_t number = *std::exchange(at_end_, std::nullopt);
  if (interval_ == 0 && !wanted_watch_.strict) return;
  const Thread& other = some_waiting();
  const Wait& wait =
      barrier_.what != nullptr ? barrier_ : warps_[warp_of(number_of(other))].barrier;
  const uint3 thread = threads_[turns_[number]].index;
  tell([&](Observer& o) {
    return o.skipped({blockIdx, thread, {other.index, wait.what, wait.site}});
  });
}

Switch Block::break_off(void* leaving, const StuckBlock& stuck) {
  if (watch_ != nullptr) watch_->pause_recording();
  const Site site = stuck.threads.front().site;
  broken_by_ = Finding{.kind = "deadlock",
                       .message = tr("a block cannot go on"),
                       .file = site.file,
                       .line = site.line};
  for (Observer* observer : process_observers()) {
    if (auto said = observer->stuck(stuck)) broken_by_ = std::move(said);
  }
  return {home_, leaving};
}

Switch Block::break_off_divergence(Thread& thread, const Wait& wait) {
  const std::size_t warp = warp_of(number_of(thread));
  const bool by_warps = barrier_.what == nullptr;
  const Wait& others = by_warps ? warps_[warp].barrier : barrier_;
  const Thread& waits = some_waiting(by_warps ? std::optional(warp) : std::nullopt);
  const WaitingThread threads[] = {{thread.index, wait.what, wait.site},
                                   {waits.index, others.what, others.site}};
  return break_off(&thread.context, {StuckBlock::Why::divided, blockIdx, threads});
}

Switch Block::break_off_masks(void* leaving, std::size_t thread, const Wait& wait, unsigned mask,
                              const Gathering& other) {
  const WaitingThread threads[] = {{threads_[turns_[thread]].index, wait.what, wait.site},
                                   {{}, other.wait.what, other.wait.site}};
  return break_off(leaving, {.why = StuckBlock::Why::masks_disagree,
                             .block = blockIdx,
                             .threads = threads,
                             .mask = mask,
                             .other_mask = other.mask});
}

Switch Block::break_off_deadlock(void* leaving) {
  if (watch_ != nullptr) watch_->pause_recording();
  for (std::size_t warp = 0; warp < warps_.size(); ++warp) {
    for (const Gathering& one : warps_[warp].gatherings) {
      for (const Gathering& other : warps_[warp].gatherings) {
        // Each of the two waits for a lane that waits in the other.
        const unsigned lanes = one.arrived & other.mask;
        if (&one == &other || lanes == 0 || (other.arrived & one.mask) == 0) continue;
        const std::size_t first = warp * 32 + static_cast<std::size_t>(__builtin_ctz(lanes));
        return break_off_masks(leaving, first, lanes_[first].wait, one.mask, other);
      }
    }
  }
  std::vector<WaitingThread> threads;
  for (const Thread& thread : threads_) {
    const bool at_barrier = thread.runs_from == interval_ + 1;
    const Wait& of_block =
        barrier_.what != nullptr ? barrier_ : warps_[warp_of(number_of(thread))].barrier;
    const Wait& wait = at_barrier ? of_block : lanes_[number_of(thread)].wait;
    if (wait.what == nullptr) continue;
    const bool known = std::any_of(threads.begin(), threads.end(), [&](const WaitingThread& other) {
      return same_place(other.site, wait.site);
    });
    if (!known) threads.push_back({thread.index, wait.what, wait.site});
  }
  return break_off(leaving, {StuckBlock::Why::deadlocked, blockIdx, threads});
}

void Block::tell_of_missing_lane(std::size_t thread, int lane, const Gathering& gathering) {
  using Source = ShuffleFromNowhere::Source;
  const bool is_there = warp_of(thread) * 32 + static_cast<std::size_t>(lane) < threads_.size();
  const Source source = !is_there                            ? Source::not_there
                        : (gathering.mask >> lane & 1u) == 0 ? Source::outside_mask
                                                             : Source::has_returned;
  const WaitingThread caller = {threads_[turns_[thread]].index, gathering.wait.what,
                                lanes_[thread].wait.site};
  const bool is_of_all_lanes = needs_all_lanes(lanes_[thread].source);
  tell([&](Observer& o) {
    return o.shuffled({source, blockIdx, caller, gathering.mask, lane, is_of_all_lanes});
  });
}

}  // namespace tilewise::simt
