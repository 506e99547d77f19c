#include "common/simt/recorder/lane_position.hpp"

#include <algorithm>

namespace tilewise::simt {

namespace {

/// Calls that are followed. Recursion may go deeper, and is then ordered as if it began there.
constexpr std::size_t most_frames = 8;

using Path = std::vector<std::uint32_t>;

std::size_t common_loops(const Path& a, const Path& b) {
  if (a.empty() || b.empty()) return 0;
  const auto loops = static_cast<std::ptrdiff_t>(std::min(a.size(), b.size())) - 1;
  const auto differs = std::mismatch(a.begin(), a.begin() + loops, b.begin()).first;
  return static_cast<std::size_t>(differs - a.begin());
}

}  // namespace

void LanePosition::advance(CodeOrder& order, std::uint32_t site) {
  const CodePlace& place = order.place(site);
  const FunctionOrder& function = *place.function;
  const auto at = std::find_if(frames_.rbegin(), frames_.rend(),
                               [&](const Frame& frame) { return frame.function == &function; });
  if (at == frames_.rend()) {
    if (!call_from_some_frame(order, function)) begin_at(order, function);
  } else {
    const auto index = static_cast<std::size_t>(frames_.rend() - at) - 1;
    return_to(index);
    if (move(frames_[index], place)) return;
    // It has begun anew.
    if (index == 0 || !call(order, index - 1, function)) begin_at(order, function);
  }
  move(frames_.back(), place);
}

// Returns false where that is no way on, with nothing changed.
bool LanePosition::move(Frame& frame, const CodePlace& place) {
  const Path& path = place.path;
  if (place.continues && frame.path == path) {
    ++key_.back();
    return true;
  }
  const std::size_t loops = common_loops(frame.path, path);
  if (!frame.path.empty() && path[loops] <= frame.path[loops]) {
    if (loops == 0) return false;
    ++key_[frame.key_begin + 2 * loops - 1];  // another pass of the innermost loop around both
  }
  key_.resize(frame.key_begin + 2 * loops);
  for (std::size_t i = loops; i + 1 < path.size(); ++i) {
    key_.push_back(path[i]);
    key_.push_back(0);
  }
  key_.push_back(path.back());
  key_.push_back(0);
  frame.path = path;
  return true;
}

// Of several calls that lead to the function the next one is taken: in the innermost loop around
// the last access first, since lanes that leave a loop leave a mark.
bool LanePosition::call(CodeOrder& order, std::size_t caller, const FunctionOrder& function) {
  return_to(caller);
  if (frames_.size() >= most_frames) return false;
  const FunctionOrder::Call* best = nullptr;
  std::size_t best_loops = 0;
  bool best_is_behind = false;
  const Path here = frames_[caller].path;
  for (const FunctionOrder::Call& candidate : frames_[caller].function->calls()) {
    const FunctionOrder* target = order.function_at(candidate.target);
    if (target == nullptr) continue;
    if (target != &function && !order.leads_to(*target, function)) continue;
    const std::size_t loops = common_loops(here, candidate.place.path);
    const bool is_behind = candidate.place.path > here;
    if (!is_behind && loops == 0) continue;
    if (best == nullptr || loops > best_loops ||
        (loops == best_loops && is_behind && !best_is_behind)) {
      best = &candidate;
      best_loops = loops;
      best_is_behind = is_behind;
    }
  }
  if (best == nullptr) return false;
  move(frames_[caller], best->place);
  const FunctionOrder* called = order.function_at(best->target);
  frames_.push_back({called, key_.size()});
  return called == &function || call(order, caller + 1, function);
}

bool LanePosition::call_from_some_frame(CodeOrder& order, const FunctionOrder& function) {
  for (std::size_t caller = frames_.size(); caller-- > 0;) {
    if (!order.leads_to(*frames_[caller].function, function)) continue;
    if (call(order, caller, function)) return true;
  }
  return false;
}

void LanePosition::return_to(std::size_t frame) {
  if (frame + 1 == frames_.size()) return;
  key_.resize(frames_[frame + 1].key_begin);
  frames_.erase(frames_.begin() + static_cast<std::ptrdiff_t>(frame) + 1, frames_.end());
}

void LanePosition::begin_at(CodeOrder& order, const FunctionOrder& function) {
  const auto start = [&](const FunctionOrder& first) {
    key_ = {static_cast<std::uint32_t>(first.begin())};
    frames_ = {{&first, key_.size()}};
  };
  for (const FunctionOrder* root : order.roots()) {
    start(*root);
    if (root == &function) return;
    if (order.leads_to(*root, function) && call(order, 0, function)) return;
  }
  start(function);
}

}  // namespace tilewise::simt
