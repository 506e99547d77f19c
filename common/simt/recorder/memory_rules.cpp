#include "common/simt/recorder/memory_rules.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "common/gpu/capability.hpp"

namespace tilewise::simt {

namespace {

constexpr unsigned sector_bytes = 32;
constexpr unsigned line_bytes = 128;
constexpr std::uint32_t lower_half = 0xffffu, upper_half = 0xffff0000u;  // half-warps

/// The distinct numbers among those added; at most as many as 32 lanes of 16 bytes can touch.
class Distinct {
 public:
  void add(std::uint32_t number) {
    if (std::find(begin(), end(), number) == end()) numbers_[count_++] = number;
  }
  unsigned size() const { return static_cast<unsigned>(count_); }
  const std::uint32_t* begin() const { return numbers_.data(); }
  const std::uint32_t* end() const { return numbers_.data() + count_; }

 private:
  std::array<std::uint32_t, 32 * 17> numbers_;  // 16 misaligned bytes touch up to 17 units
  std::size_t count_ = 0;
};

/// Returns every unit (word, sector, line or byte) of the given size that the lanes touch.
Distinct units(const LaneAddresses& addresses, std::uint32_t lanes, unsigned unit_bytes) {
  Distinct found;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t first = addresses.at[std::countr_zero(left)];
    for (std::uint32_t unit = first / unit_bytes;
         unit <= (first + addresses.bytes - 1) / unit_bytes; ++unit) {
      found.add(unit);
    }
  }
  return found;
}

/// Returns the number of passes if a bank serves one lane at a time, whichever of its words the
/// lane accesses.
unsigned passes_one_by_one(const LaneAddresses& addresses, std::uint32_t lanes, unsigned banks) {
  std::array<unsigned, 32> lanes_of_bank{};
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const std::uint32_t first = addresses.at[std::countr_zero(left)];
    for (std::uint32_t word = first / word_bytes;
         word <= (first + addresses.bytes - 1) / word_bytes; ++word) {
      ++lanes_of_bank[word % banks];
    }
  }
  return *std::max_element(lanes_of_bank.begin(), lanes_of_bank.end());
}

/// Adds the cost of lanes that are served together: each bank delivers one word in a pass, to all
/// lanes that ask for it.
void add_phase(const LaneAddresses& addresses, std::uint32_t lanes, unsigned banks,
               SharedCost& cost) {
  if (lanes == 0) return;
  std::array<unsigned, 32> words_of_bank{};
  for (const std::uint32_t word : units(addresses, lanes, word_bytes))
    ++words_of_bank[word % banks];
  const unsigned passes = *std::max_element(words_of_bank.begin(), words_of_bank.end());
  cost.wavefronts += addresses.atomic ? passes_one_by_one(addresses, lanes, banks) : passes;
  cost.conflicts += passes - 1;
}

/// Whether all lanes whose numbers differ by `distance` read the same in pairs.
bool is_paired(const LaneAddresses& addresses, unsigned distance) {
  for (std::uint32_t left = addresses.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const unsigned partner = lane ^ distance;
    const bool both = (addresses.lanes >> partner & 1u) != 0;
    if (both && addresses.at[lane] != addresses.at[partner]) return false;
  }
  return true;
}

/// Adds the cost of a half-warp of compute capability 1.x: a pass serves one word to all lanes that
/// ask for it (the broadcast) and one lane of each other bank. Wider accesses are made word by
/// word.
void add_half_warp(const LaneAddresses& addresses, std::uint32_t lanes, unsigned banks,
                   SharedCost& cost) {
  if (lanes == 0) return;
  ++cost.requests;
  const unsigned words = std::max(1u, addresses.bytes / word_bytes);
  const unsigned before = cost.wavefronts;
  for (unsigned i = 0; i < words; ++i) {
    for (std::uint32_t left = lanes; left != 0; ++cost.wavefronts) {
      const auto word_of = [&](int lane) { return addresses.at[lane] / word_bytes + i; };
      const std::uint32_t broadcast = word_of(std::countr_zero(left));
      std::uint32_t busy_banks = 0;
      for (std::uint32_t waiting = left; waiting != 0; waiting &= waiting - 1) {
        const int lane = std::countr_zero(waiting);
        const std::uint32_t bank = 1u << word_of(lane) % banks;
        const bool served =
            word_of(lane) == broadcast ||
            ((busy_banks & bank) == 0 && broadcast % banks != word_of(lane) % banks);
        if (!served) continue;
        busy_banks |= bank;
        left &= ~(1u << lane);
      }
    }
  }
  cost.conflicts += cost.wavefronts - before - words;
}

struct Segment {
  std::uint32_t start;
  unsigned bytes;
};

/// Takes the segment of the lowest waiting lane, with every lane in it, until none waits.
template <class Use>
void for_each_segment(const LaneAddresses& addresses, std::uint32_t lanes, Use&& use) {
  const unsigned largest = addresses.bytes == 1 ? 32 : addresses.bytes == 2 ? 64 : line_bytes;
  while (lanes != 0) {
    const std::uint32_t segment = addresses.at[std::countr_zero(lanes)] / largest;
    std::uint32_t lowest = ~0u, highest = 0;
    for (std::uint32_t waiting = lanes; waiting != 0; waiting &= waiting - 1) {
      const int lane = std::countr_zero(waiting);
      if (addresses.at[lane] / largest != segment) continue;
      lowest = std::min(lowest, addresses.at[lane]);
      highest = std::max(highest, addresses.at[lane] + addresses.bytes - 1);
      lanes &= ~(1u << lane);
    }
    unsigned bytes = largest;  // halved as long as one half holds all lanes
    while (bytes > sector_bytes && lowest / (bytes / 2) == highest / (bytes / 2)) bytes /= 2;
    use(Segment{lowest / bytes * bytes, bytes});
  }
}

}  // namespace

MemoryRules::MemoryRules(const core::GpuProfile& gpu)
    : half_warps(core::capability_of(gpu).serves_half_warps),
      banks(static_cast<unsigned>(gpu.banks)),
      partitions(core::capability_of(gpu).partitions_in_turns) {}

SharedCost shared_cost(const LaneAddresses& addresses, const MemoryRules& rules) {
  SharedCost cost;
  const unsigned unit = std::min<unsigned>(word_bytes, addresses.bytes);
  cost.bytes = units(addresses, addresses.lanes, unit).size() * unit;
  if (rules.half_warps) {
    add_half_warp(addresses, addresses.lanes & lower_half, rules.banks, cost);
    add_half_warp(addresses, addresses.lanes & upper_half, rules.banks, cost);
    return cost;
  }
  cost.requests = 1;
  constexpr unsigned phase_bytes = 128;
  unsigned lanes_of_phase = std::min(32u, phase_bytes / addresses.bytes);
  if (addresses.bytes > word_bytes && addresses.load &&
      (is_paired(addresses, 1) || is_paired(addresses, 2))) {
    lanes_of_phase *= 2;
  }
  for (unsigned first = 0; first < 32; first += lanes_of_phase) {
    const std::uint32_t phase = lanes_of_phase == 32 ? ~0u : ((1u << lanes_of_phase) - 1) << first;
    add_phase(addresses, addresses.lanes & phase, rules.banks, cost);
  }
  return cost;
}

GlobalCost global_cost(const LaneAddresses& addresses, const MemoryRules& rules) {
  GlobalCost cost;
  cost.bytes = units(addresses, addresses.lanes, 1).size();
  if (rules.half_warps) {
    for (const std::uint32_t half : {lower_half, upper_half}) {
      const std::uint32_t lanes = addresses.lanes & half;
      if (lanes != 0) ++cost.requests;
      for_each_segment(addresses, lanes, [&](const Segment& segment) {
        ++cost.transactions;
        cost.sectors += segment.bytes / sector_bytes;
      });
    }
    return cost;
  }
  cost.requests = 1;
  cost.sectors = units(addresses, addresses.lanes, sector_bytes).size();
  return cost;
}

void add_partition_bytes(const LaneAddresses& addresses,
                         std::array<std::uint64_t, dram_partitions>& bytes) {
  constexpr unsigned turn_bytes = 256;
  for (const std::uint32_t half : {lower_half, upper_half}) {
    for_each_segment(addresses, addresses.lanes & half, [&](const Segment& segment) {
      bytes[segment.start / turn_bytes % dram_partitions] += segment.bytes;
    });
  }
}

}  // namespace tilewise::simt
