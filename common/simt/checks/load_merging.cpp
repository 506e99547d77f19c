#include "common/simt/checks/load_merging.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilewise::simt {

namespace {

constexpr std::size_t none = ~std::size_t{0};

/// Loads that lie further apart than this do not belong to one unrolled body.
constexpr std::size_t window = 64;

constexpr unsigned unrolled_passes = 4;  // 4 floats fill the widest load

// These limits are fitted to put2025; see the class.
constexpr std::size_t most_loads_unrolled = 22;
constexpr std::size_t most_live_registers = 84;

unsigned bytes_of(const Pattern& pattern) { return Site32(pattern.kind).bytes(); }

}  // namespace

void count_merged_load(Counters& counters, const Pattern& pattern, unsigned joined) {
  const unsigned bytes = bytes_of(pattern) * joined;
  const SharedCost& cost = joined == 1 ? pattern.shared_cost : pattern.wide_cost(bytes);
  counters.shared_load_requests_merged += cost.requests;
  counters.shared_load_wavefronts_merged += cost.wavefronts;
  counters.shared_load_bytes += cost.bytes;
  counters.shared_load_lane_bytes += std::popcount(pattern.lanes) * bytes;
}

LoadMerging::Plan::Plan(const Loads& loads, const std::vector<std::uint32_t>& alignment,
                        const SharedNames& names)
    : loads_(loads), alignment_(alignment), names_(names), joined_(loads.size()) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].pattern != nullptr) by_place_.emplace(loads[i].place, i);
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].pattern == nullptr || joined_[i]) continue;
    const unsigned bytes = bytes_of(*loads[i].pattern);
    if (bytes == 4 && join(i, 4)) continue;
    if (bytes == 4 || bytes == 8) join(i, 2);
  }
  unrolled_ = body_stays_small();
  std::erase_if(groups_, [&](const Group& group) { return group.across_passes() && !unrolled_; });
  joined_.assign(loads.size(), false);
  for (const Group& group : groups_) {
    for (unsigned i = 0; i < group.count; ++i) joined_[group.members[i]] = true;
  }
}

/// Returns the nearest load behind the first one that starts at this place and has the same
/// pattern; `none` if there is none nearby.
std::size_t LoadMerging::Plan::find(std::size_t first, Place place, std::size_t end) const {
  const auto [begin, behind] = by_place_.equal_range(place);
  std::size_t nearest = none;
  for (auto entry = begin; entry != behind; ++entry) {
    const std::size_t i = entry->second;
    if (i <= first || i >= end || joined_[i] ||
        !loads_[i].pattern->moves_like(*loads_[first].pattern)) {
      continue;
    }
    nearest = std::min(nearest, i);
  }
  return nearest;
}

bool LoadMerging::Plan::join(std::size_t first, unsigned count) {
  return join_from(loads_[first].place, first, count) ||
         join_from(loads_[first].place - (count - 1) * bytes_of(*loads_[first].pattern), first,
                   count);
}

/// Joins the first load to others nearby that lie at consecutive addresses from `lowest` on. The
/// first load is the lowest or the highest, because loops run upwards and downwards.
bool LoadMerging::Plan::join_from(Place lowest, std::size_t first, unsigned count) {
  const unsigned bytes = bytes_of(*loads_[first].pattern);
  std::size_t end = std::min(loads_.size(), first + window + 1);
  const auto separation = std::find_if(loads_.begin() + static_cast<std::ptrdiff_t>(first),
                                       loads_.begin() + static_cast<std::ptrdiff_t>(end),
                                       [](const Load& load) { return load.pattern == nullptr; });
  end = static_cast<std::size_t>(separation - loads_.begin());
  Group group{{}, count, 0};
  for (unsigned i = 0; i < count; ++i) {
    const Place place = lowest + i * bytes;
    group.members[i] = place == loads_[first].place ? first : find(first, place, end);
    if (group.members[i] == none) return false;
  }
  group.lowest = group.members[0];
  if ((alignment_[group.lowest] & (bytes * count - 1)) != 0) return false;
  if (bytes * count > names_.known_alignment(lowest)) return false;
  for (unsigned i = 0; i < count; ++i) joined_[group.members[i]] = true;
  std::sort(group.members, group.members + count);
  groups_.push_back(group);
  return true;
}

// Looks at the first pass through the loop, which has as many loads as lie between two that join.
bool LoadMerging::Plan::body_stays_small() const {
  const auto across = std::find_if(groups_.begin(), groups_.end(),
                                   [](const Group& group) { return group.across_passes(); });
  if (across == groups_.end()) return true;
  const std::size_t begin = across->members[0];
  const std::size_t end = begin + across->span() / (across->count - 1);
  std::size_t joining_across = 0, loads_within = 0, joined_within = 0;
  for (const Group& group : groups_) {
    if (group.members[0] < begin || group.members[0] >= end) continue;
    if (group.across_passes()) {
      ++joining_across;
    } else {
      loads_within += group.count;
      ++joined_within;
    }
  }
  const std::size_t single = end - begin - joining_across - loads_within;
  const std::size_t each_pass = single + loads_within;  // words of the other operand
  // Every word of one operand meets every word of the other, and a sum for each pair stays live.
  const std::size_t live =
      joining_across * each_pass + unrolled_passes * joining_across + each_pass;
  const std::size_t unrolled = unrolled_passes * (single + joined_within) + joining_across;
  return live <= most_live_registers && unrolled <= most_loads_unrolled;
}

void LoadMerging::Plan::count(const Loads& loads) const {
  for (const Group& group : groups_) {
    count_merged_load(*loads[group.members[0]].counters, *loads[group.lowest].pattern, group.count);
  }
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (!joined_[i] && loads[i].pattern != nullptr)
      count_merged_load(*loads[i].counters, *loads[i].pattern, 1);
  }
}

bool LoadMerging::alike(const Loads& a, const Loads& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Load& x, const Load& y) { return x.counters == y.counters; });
}

/// Marks the loads of what the same lanes loaded before, within the window of one unrolled body.
std::vector<bool> LoadMerging::repeats_in(const Loads& loads) {
  std::vector<bool> repeats(loads.size());
  std::unordered_map<Place, std::size_t> latest;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i].pattern == nullptr) {
      latest.clear();
      continue;
    }
    const auto [entry, is_first] = latest.try_emplace(loads[i].place, i);
    if (is_first) continue;
    const Load& before = loads[entry->second];
    repeats[i] = i - entry->second <= window && before.pattern->moves_like(*loads[i].pattern);
    entry->second = i;
  }
  return repeats;
}

/// Drops the repeated loads of a warp, and of the later warps that run through the same loads,
/// where all of them repeat: one address may equal another by chance, for example in row 0.
void LoadMerging::drop_repeats(Loads& loads, std::size_t warp) {
  std::vector<bool> repeats = repeats_in(loads);
  if (std::find(repeats.begin(), repeats.end(), true) == repeats.end()) return;
  std::vector<Loads*> all = {&loads};
  for (std::size_t other = warp + 1; other < warps_.size(); ++other) {
    if (!alike(loads, warps_[other])) continue;
    all.push_back(&warps_[other]);
    const std::vector<bool> its_repeats = repeats_in(warps_[other]);
    for (std::size_t i = 0; i < repeats.size(); ++i) repeats[i] = repeats[i] && its_repeats[i];
  }
  for (Loads* each : all) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < repeats.size(); ++i) {
      if (!repeats[i]) (*each)[kept++] = (*each)[i];
    }
    each->resize(kept);
  }
}

void LoadMerging::flush() {
  std::vector<std::uint32_t> alignment;
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if (warps_[i].empty()) continue;
    Loads loads = std::exchange(warps_[i], {});
    drop_repeats(loads, i);
    alignment.assign(loads.size(), 0);
    const auto take_in = [&](const Loads& others) {
      for (std::size_t k = 0; k < others.size(); ++k) {
        if (others[k].pattern != nullptr)
          alignment[k] |= others[k].place | others[k].pattern->relative_bits;
      }
    };
    take_in(loads);
    std::vector<std::size_t> same;
    for (std::size_t other = i + 1; other < warps_.size(); ++other) {
      if (!alike(loads, warps_[other])) continue;
      same.push_back(other);
      take_in(warps_[other]);
    }
    const Plan plan(loads, alignment, *names_);
    plan.count(loads);
    for (const std::size_t other : same) {
      plan.count(warps_[other]);
      warps_[other].clear();
    }
  }
}

}  // namespace tilewise::simt
