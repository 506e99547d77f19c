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
  std::uint32_t lanes;        ///< the lanes that take part; at least one
  const Place* places;        ///< by lane
  const std::uint32_t* olds;  ///< by lane; for a write: the value before it
  unsigned warp;              ///< within the block

  unsigned first_lane() const { return static_cast<unsigned>(__builtin_ctz(lanes)); }
  Place first_place() const { return places[first_lane()]; }
};

/// What depends only on how the lanes' addresses lie relative to each other, wherever they all lie.
/// A loop repeats few patterns many times, so each is computed once.
struct Pattern {
  // The key by which patterns differ.
  std::uint32_t lanes;
  std::uint32_t kind;       ///< action and bytes, as in Site32
  std::uint32_t alignment;  ///< alignment of the first lane's place
  bool shared;
  /// Distance to the first lane; 0 where a lane takes no part.
  std::array<std::uint32_t, 32> relative;
  std::array<std::uint32_t, 32> live;  ///< all ones where a lane takes part

  // What is computed from the key.
  bool misaligned = false;
  std::uint32_t relative_bits = 0;  ///< the bits set in any lane's distance to the first lane
  SharedCost shared_cost;
  /// Cost of wider shared loads from the same places.
  SharedCost cost_of_8_bytes, cost_of_16_bytes;
  GlobalCost global_cost;
  unsigned most_alike = 0;   ///< the largest number of lanes that have the same address
  std::int64_t lowest = 0;   ///< first byte, relative to the first lane's place
  std::int64_t highest = 0;  ///< the end of the last byte, relative to the same
  /// One lane for each distinct address, and for each of these another lane with the same address,
  /// or `no_lane`.
  unsigned distinct = 0;
  std::array<std::uint8_t, 32> lane{};
  std::array<std::uint8_t, 32> other_lane{};
  std::uint64_t hash = 0;
  std::uint64_t shape_hash = 0;  ///< hash of the key without the alignment

  static constexpr std::uint8_t no_lane = 0xff;

  /// Whether the lanes' addresses lie relative to each other as in the other pattern.
  bool moves_like(const Pattern& other) const {
    return shape_hash == other.shape_hash && lanes == other.lanes && relative == other.relative;
  }
  const SharedCost& wide_cost(unsigned bytes) const {
    return bytes == 8 ? cost_of_8_bytes : cost_of_16_bytes;
  }

  bool fits(const Request& request, std::uint32_t alignment_of_first) const;
};

/// Two lanes, or one, that stand for all lanes that access one address.
struct LanesOfAddress {
  unsigned first, other;  ///< the other may be Pattern::no_lane
};

/// Returns the lanes that stand for the i-th address of the pattern. For writes, the two are lanes
/// that stored different values, if there are any: each lane finds the value that the one before it
/// has stored, so among lanes that store the same value, at most one finds something other than the
/// final value.
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
  /// Forgets all patterns, and uses these rules from here on.
  void start(const MemoryRules& rules);

  /// The last two patterns found for one site.
  using Recent = std::array<const Pattern*, 2>;

  /// Returns the request's pattern if it is one of the last two; otherwise null.
  const Pattern* recall(const Request& request, Recent& recent) const;

  const Pattern& find(const Request& request, Recent& recent);

  std::size_t size() const { return all_.size(); }

 private:
  const Pattern& look_up(Pattern& key);

  /// Costs are the same when a pattern is moved by the largest unit of traffic; in shared memory
  /// even when it is moved by the size of one access.
  std::uint32_t alignment_of(const Request& request) const {
    const Place first = request.first_place();
    return first & ((is_shared(first) ? request.site.bytes() : global_unit_) - 1);
  }

  MemoryRules rules_{core::GpuProfile{}};
  std::uint32_t global_unit_ = 0;
  std::unordered_multimap<std::uint64_t, std::unique_ptr<Pattern>> all_;
};

/// What is known of a place in the code that accesses memory.
struct SiteState {
  std::uint32_t site = 0;
  std::size_t number = 0;  ///< the order in which the thread reached them, from 0
  Patterns::Recent recent{};
  /// The array or buffer that the last access lay in: [begin, end).
  Place begin = 0, end = 0;
  bool read_only = false;  ///< the buffer is an input of the kernel
  bool continues = false;  ///< it records the rest of a larger object
};

/// The sites that one operating-system thread has reached.
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
  // A kernel's inner loops access memory at some dozen sites.
  std::array<SiteState*, 257> recent_{};  // prime: return addresses have common low bits
};

}  // namespace tilewise::simt
