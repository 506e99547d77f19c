#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "common/simt/recorder/memory_rules.hpp"
#include "common/simt/recorder/record.hpp"

namespace tilewise::simt {

/// One instruction of one warp.
struct Request {
  Site32 site;
  std::uint32_t lanes;        ///< which take part; at least one
  const Place* places;        ///< by lane
  const std::uint32_t* olds;  ///< by lane; of a write: what was there before
  unsigned warp;              ///< within the block

  unsigned first_lane() const { return static_cast<unsigned>(__builtin_ctz(lanes)); }
  Place first_place() const { return places[first_lane()]; }
};

/// What follows from how the lanes' addresses lie to each other, wherever they lie as a whole. A
/// loop repeats few patterns many times, so that each is worked out once.
struct Pattern {
  // What tells patterns apart.
  std::uint32_t lanes;
  std::uint32_t kind;       ///< action and bytes, as in Site32
  std::uint32_t alignment;  ///< of the first lane's place
  bool shared;
  std::array<std::uint32_t, 32> relative;  ///< to the first lane; 0 where a lane takes no part
  std::array<std::uint32_t, 32> live;      ///< all ones where a lane takes part

  // What follows.
  bool misaligned = false;
  std::uint32_t relative_bits = 0;  ///< set in any lane's distance to the first
  SharedCost shared_cost;
  SharedCost cost_of_8_bytes, cost_of_16_bytes;  ///< of shared loads as wide from the same places
  GlobalCost global_cost;
  unsigned most_alike = 0;   ///< lanes with the same address, at the address that has most
  std::int64_t lowest = 0;   ///< first byte, relative to the first lane's place
  std::int64_t highest = 0;  ///< behind the last byte
  /// Lanes with an address of their own, and for each another lane with the same address or
  /// `no_lane`.
  unsigned distinct = 0;
  std::array<std::uint8_t, 32> lane{};
  std::array<std::uint8_t, 32> other_lane{};
  std::uint64_t hash = 0;
  std::uint64_t shape_hash = 0;  ///< without the alignment

  static constexpr std::uint8_t no_lane = 0xff;

  /// Whether the lanes lie to each other as in the other pattern.
  bool moves_like(const Pattern& other) const {
    return shape_hash == other.shape_hash && lanes == other.lanes && relative == other.relative;
  }
  const SharedCost& wide_cost(unsigned bytes) const {
    return bytes == 8 ? cost_of_8_bytes : cost_of_16_bytes;
  }

  bool fits(const Request& request, std::uint32_t alignment_of_first) const;
};

/// Two lanes that stand for all that touch one address, or one.
struct LanesOfAddress {
  unsigned first, other;  ///< the other may be Pattern::no_lane
};

/// Of lanes that write: those that stored something else are among them, if there are any. Each
/// finds what the one before it has stored, so that of equal lanes one at most finds something else
/// than what is there in the end.
template <class ValueAt>
LanesOfAddress lanes_of_address(const Request& request, const Pattern& pattern, unsigned i,
                                ValueAt&& value_at) {
  const LanesOfAddress usual{pattern.lane[i], pattern.other_lane[i]};
  if (usual.other == Pattern::no_lane || request.site.action() != Action::write) return usual;
  const Place place = request.places[usual.first];
  const std::uint32_t value = value_at(place, request.site.bytes());
  unsigned found = Pattern::no_lane;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (request.places[lane] != place || request.olds[lane] == value) continue;
    if (found != Pattern::no_lane) return {found, lane};
    found = lane;
  }
  return usual;
}

/// The patterns one operating-system thread has seen.
class Patterns {
 public:
  /// Forgets all; from here on by these rules.
  void start(const MemoryRules& rules);

  /// The last two answers for one site.
  using Recent = std::array<const Pattern*, 2>;

  /// The request's pattern if it is one of the last two; else null.
  const Pattern* recall(const Request& request, Recent& recent) const;

  const Pattern& find(const Request& request, Recent& recent);

  std::size_t size() const { return all_.size(); }

 private:
  const Pattern& look_up(Pattern& key);

  /// Costs repeat where a pattern moves by the largest unit of traffic; shared wavefronts already
  /// where it moves by one access.
  std::uint32_t alignment_of(const Request& request) const {
    const Place first = request.first_place();
    return first & ((is_shared(first) ? request.site.bytes() : global_unit_) - 1);
  }

  MemoryRules rules_{core::GpuProfile{}};
  std::uint32_t global_unit_ = 0;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Pattern>> all_;
};

/// A place in the code that touches memory.
struct SiteState {
  std::uint32_t site = 0;
  std::size_t number = 0;  ///< in the order in which the thread came to them, from 0
  Patterns::Recent recent{};
  /// The array or buffer that the last access lay in: [begin, end).
  Place begin = 0, end = 0;
  bool read_only = false;  ///< that buffer is a kernel's input
  bool continues = false;  ///< it tells of the rest of a larger object
};

/// Sites of one operating-system thread.
class SiteTable {
 public:
  SiteState& at(std::uint32_t site) {
    SiteState*& entry = recent_[site % recent_.size()];
    if (entry == nullptr || entry->site != site) entry = &find(site);
    return *entry;
  }

  void clear();
  const std::vector<std::unique_ptr<SiteState>>& all() const { return all_; }

 private:
  SiteState& find(std::uint32_t site);

  std::vector<std::unique_ptr<SiteState>> all_;
  std::vector<SiteState*> table_;  ///< open addressing, at most half full
  // A kernel's inner loops touch memory at some dozen sites.
  std::array<SiteState*, 257> recent_{};  // prime: return addresses have common low bits
};

}  // namespace tilewise::simt
