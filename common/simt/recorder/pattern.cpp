#include "common/simt/recorder/pattern.hpp"

#include <algorithm>
#include <bit>

namespace tilewise::simt {

namespace {

constexpr std::uint32_t kind_mask = ~Site32::code_mask;

Pattern key_of(const Request& request, std::uint32_t alignment) {
  Pattern key{};
  key.lanes = request.lanes;
  key.kind = request.site.word() & kind_mask;
  const Place first = request.first_place();
  key.alignment = alignment;
  key.shared = is_shared(first);
  std::uint64_t hash = key.kind ^ (key.shared ? 1ull << 40 : 0);
  const auto mix = [&](std::uint64_t value) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ull;  // 2^64 over the golden ratio
    hash = std::rotl((hash ^ value) * odd, 29);
  };
  mix(key.lanes);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((request.lanes >> lane & 1u) == 0) continue;
    key.relative[lane] = request.places[lane] - first;
    key.live[lane] = ~0u;
    mix(key.relative[lane]);
  }
  key.shape_hash = hash;
  mix(key.alignment);
  key.hash = hash;
  return key;
}

void work_out(Pattern& pattern, const MemoryRules& rules) {
  const unsigned bytes = Site32(pattern.kind).bytes();
  const Action action = Site32(pattern.kind).action();
  LaneAddresses addresses{
      pattern.lanes, bytes, action == Action::read, {}, action == Action::atomic};
  // The middle is far enough from zero that lanes below the first stay positive, and it is aligned
  // to a line.
  constexpr std::uint32_t middle = 0x8000'0000u;
  pattern.lowest = INT64_MAX;
  pattern.highest = INT64_MIN;
  std::array<std::uint8_t, 32> alike{};  // by address
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (pattern.live[lane] == 0) continue;
    const auto relative = static_cast<std::int32_t>(pattern.relative[lane]);
    addresses.at[lane] = middle + pattern.alignment + pattern.relative[lane];
    pattern.relative_bits |= pattern.relative[lane];
    pattern.misaligned |= addresses.at[lane] % bytes != 0;
    pattern.lowest = std::min<std::int64_t>(pattern.lowest, relative);
    pattern.highest = std::max<std::int64_t>(pattern.highest, std::int64_t{relative} + bytes);

    const auto begin = pattern.lane.begin(), end = begin + pattern.distinct;
    const auto same = std::find_if(begin, end, [&](std::uint8_t other) {
      return pattern.relative[other] == pattern.relative[lane];
    });
    if (same != end) {
      pattern.other_lane[static_cast<std::size_t>(same - begin)] = static_cast<std::uint8_t>(lane);
      ++alike[static_cast<std::size_t>(same - begin)];
    } else {
      alike[pattern.distinct] = 1;
      pattern.lane[pattern.distinct] = static_cast<std::uint8_t>(lane);
      pattern.other_lane[pattern.distinct++] = Pattern::no_lane;
    }
  }
  pattern.most_alike = *std::max_element(alike.begin(), alike.end());
  if (pattern.shared) {
    pattern.shared_cost = shared_cost(addresses, rules);
    addresses.bytes = 8;
    pattern.cost_of_8_bytes = shared_cost(addresses, rules);
    addresses.bytes = 16;
    pattern.cost_of_16_bytes = shared_cost(addresses, rules);
  } else {
    pattern.global_cost = global_cost(addresses, rules);
  }
}

bool same_key(const Pattern& a, const Pattern& b) {
  return a.lanes == b.lanes && a.kind == b.kind && a.alignment == b.alignment &&
         a.shared == b.shared && a.relative == b.relative;
}

}  // namespace

bool Pattern::fits(const Request& request, std::uint32_t alignment_of_first) const {
  const Place first = request.first_place();
  if (request.lanes != lanes || alignment_of_first != alignment || is_shared(first) != shared)
    return false;
  std::uint32_t difference = 0;
  for (unsigned i = 0; i < 32; ++i) {
    difference |= ((request.places[i] - first) ^ relative[i]) & live[i];
  }
  return difference == 0;
}

void Patterns::start(const MemoryRules& rules) {
  all_.clear();
  rules_ = rules;
  global_unit_ = rules.half_warps ? 128 : 32;
}

const Pattern* Patterns::recall(const Request& request, Recent& recent) const {
  const std::uint32_t alignment = alignment_of(request);
  if (recent[0] != nullptr && recent[0]->fits(request, alignment)) return recent[0];
  if (recent[1] == nullptr || !recent[1]->fits(request, alignment)) return nullptr;
  std::swap(recent[0], recent[1]);
  return recent[0];
}

const Pattern& Patterns::find(const Request& request, Recent& recent) {
  Pattern key = key_of(request, alignment_of(request));
  const Pattern& found = look_up(key);
  recent = {&found, recent[0]};
  return found;
}

const Pattern& Patterns::look_up(Pattern& key) {
  const auto [begin, end] = all_.equal_range(key.hash);
  for (auto known = begin; known != end; ++known) {
    if (same_key(*known->second, key)) return *known->second;
  }
  work_out(key, rules_);
  return *all_.emplace(key.hash, std::make_unique<Pattern>(key))->second;
}

void SiteTable::clear() {
  all_.clear();
  table_.assign(1024, nullptr);
  recent_.fill(nullptr);
}

SiteState& SiteTable::find(std::uint32_t site) {
  if (2 * (all_.size() + 1) > table_.size()) {
    table_.assign(2 * table_.size(), nullptr);
    for (const auto& state : all_) {
      std::size_t i = state->site % (table_.size() - 1);
      while (table_[i] != nullptr) i = (i + 1) % table_.size();
      table_[i] = state.get();
    }
  }
  std::size_t i = site % (table_.size() - 1);
  while (table_[i] != nullptr && table_[i]->site != site) i = (i + 1) % table_.size();
  if (table_[i] == nullptr) {
    // An object's first word is seen before its second, whose recorded code address is one byte
    // lower (record.hpp, continued()).
    const bool continues = std::ranges::any_of(all_, [&](const auto& other) {
      return Site32(other->site).code() == Site32(site).code() + 1;
    });
    all_.push_back(std::make_unique<SiteState>());
    all_.back()->site = site;
    all_.back()->number = all_.size() - 1;
    all_.back()->continues = continues;
    table_[i] = all_.back().get();
  }
  return *table_[i];
}

}  // namespace tilewise::simt
