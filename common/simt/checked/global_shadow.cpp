#include "common/simt/checked/global_shadow.hpp"

#include <algorithm>
#include <thread>

namespace tilewise::simt {

namespace {

constexpr unsigned word_bytes = 4;
constexpr std::size_t pages = shared_place >> device_page_bits;

bool is_atomic(AccessRecord access) { return Site32(access.site).action() == Action::atomic; }

/// Bits of the bytes [first, first + bytes) of a word.
std::uint8_t byte_bits(unsigned first, unsigned bytes) {
  return static_cast<std::uint8_t>(((1u << bytes) - 1) << first);
}

/// Holds a cell for as long as this lives. Two blocks seldom want the same one at once.
class Hold {
 public:
  explicit Hold(std::uint32_t& busy) : busy_(busy) {
    while (busy_.exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
  }
  ~Hold() { busy_.store(0, std::memory_order_release); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

 private:
  std::atomic_ref<std::uint32_t> busy_;
};

}  // namespace

GlobalShadow::GlobalShadow() : by_page_(pages) {}

GlobalShadow& GlobalShadow::instance() {
  static GlobalShadow* shadow = new GlobalShadow;  // outlives static destructors that use it
  return *shadow;
}

GlobalShadow::Region& GlobalShadow::region_at(Place place) {
  return *by_page_[place >> device_page_bits].load(std::memory_order_acquire);
}

void GlobalShadow::follow(bool wanted) {
  if (wanted && !follows_) {
    // What kernels have written unwatched is not known.
    for (const auto& region : owned_) {
      region->unwritten.clear();
      region->any_unwritten = false;
    }
  }
  follows_ = wanted;
}

void GlobalShadow::allocated(Place first_page, std::size_t bytes) {
  const std::lock_guard lock(regions_mutex_);
  auto region = std::make_unique<Region>(first_page, bytes);
  for (std::size_t at = 0; at < bytes; at += std::size_t{1} << device_page_bits) {
    by_page_[(first_page + at) >> device_page_bits].store(region.get(), std::memory_order_release);
  }
  owned_.push_back(std::move(region));
}

void GlobalShadow::released(Place first_page, std::size_t bytes) {
  const std::lock_guard lock(regions_mutex_);
  for (std::size_t at = 0; at < bytes; at += std::size_t{1} << device_page_bits) {
    by_page_[(first_page + at) >> device_page_bits].store(nullptr, std::memory_order_release);
  }
  std::erase_if(owned_, [&](const auto& region) { return region->first == first_page; });
}

void GlobalShadow::set_written(Place place, std::size_t bytes, bool written) {
  if (!follows_ || bytes == 0) return;
  Region& region = region_at(place);
  if (!written) region.any_unwritten = true;
  if (!region.any_unwritten) return;
  for (std::size_t at = place - region.first, end = at + bytes; at < end;) {
    const auto offset = static_cast<unsigned>(at % word_bytes);
    const auto count = static_cast<unsigned>(std::min<std::size_t>(word_bytes - offset, end - at));
    std::uint8_t& bits = region.unwritten[at / word_bytes];
    if (written) {
      bits &= static_cast<std::uint8_t>(~byte_bits(offset, count));
    } else {
      bits |= byte_bits(offset, count);
    }
    at += count;
  }
}

void GlobalShadow::copy_written(Place to, Place from, std::size_t bytes) {
  if (!follows_ || bytes == 0) return;
  Region& source = region_at(from);
  if (!source.any_unwritten) return set_written(to, bytes, true);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t at = from + i - source.first;
    const bool unwritten = (source.unwritten[at / word_bytes] >> at % word_bytes & 1u) != 0;
    set_written(to + static_cast<Place>(i), 1, !unwritten);
  }
}

void GlobalShadow::start_launch() {
  ++launch_;
  fenced_.clear();
  any_fenced_ = false;
}

void GlobalShadow::note_fence(std::uint32_t block) {
  const std::lock_guard lock(fenced_mutex_);
  fenced_.insert(block);
  any_fenced_ = true;
}

void GlobalShadow::access(const Request& request, const Pattern& pattern, std::uint32_t block,
                          const Moments& moments, GlobalListener& listener) {
  const unsigned bytes = request.site.bytes();
  Region& region = region_at(request.first_place());
  const auto visit = [&](unsigned lane) {
    const GlobalAccess access{block, {moments.tag(request.warp * 32 + lane), request.site.word()}};
    const Place place = request.places[lane];
    if (request.site.action() != Action::write) {
      check_written(region, place, bytes, access.access, listener);
    }
    access_word(region, place, bytes, request.olds[lane], access, moments, listener);
  };
  for (unsigned i = 0; i < pattern.distinct; ++i) {
    visit(pattern.lane[i]);
    if (pattern.other_lane[i] != Pattern::no_lane) visit(pattern.other_lane[i]);
  }
}

void GlobalShadow::check_written(Region& region, Place place, unsigned bytes, AccessRecord read,
                                 GlobalListener& listener) {
  if (!region.any_unwritten) return;
  const std::size_t first = place - region.first;
  for (std::size_t at = first; at < first + bytes; ++at) {
    if ((region.unwritten[at / word_bytes] >> at % word_bytes & 1u) == 0) continue;
    return listener.global_unwritten(region.first + static_cast<Place>(at), read);
  }
}

// Parts of a word are remembered as the whole word would be, except that two threads may write
// different bytes of one: such accesses are left to the comparison of results.
void GlobalShadow::access_word(Region& region, Place place, unsigned bytes, std::uint32_t old,
                               GlobalAccess access, const Moments& moments,
                               GlobalListener& listener) {
  const bool writes = Site32(access.access.site).action() != Action::read;
  if (bytes >= word_bytes) {
    for (Place at = place; at < place + bytes; at += word_bytes) {
      Cell& cell = region.cells[(at - region.first) / word_bytes];
      const Hold hold(cell.busy);
      if (cell.launch != launch_) {
        cell = Cell{};
        cell.busy = 1;
        cell.launch = launch_;
      }
      if (writes) {
        write(cell, at, bytes, old, access, moments, listener);
      } else {
        read(cell, at, access, moments, listener);
      }
    }
  }
  if (writes) set_written(place, bytes, true);
}

bool GlobalShadow::unordered(std::uint32_t block, Tag tag, GlobalAccess access,
                             const Moments& moments) const {
  if (block == 0) return false;
  if (block - 1 == access.block) return moments.concurrent(tag, thread_of(access.access.tag));
  if (!any_fenced_) return true;
  const std::lock_guard lock(fenced_mutex_);
  return fenced_.count(block - 1) == 0 && fenced_.count(access.block) == 0;
}

void GlobalShadow::read(Cell& cell, Place place, GlobalAccess access, const Moments& moments,
                        GlobalListener& listener) {
  if (unordered(cell.write_block, cell.write.tag, access, moments)) {
    listener.global_race(place, {cell.write_block - 1, cell.write}, access);
  }
  if (cell.read_block != access.block + 1) {
    if (cell.read_block != 0) {
      cell.foreign_block = cell.read_block;
      cell.foreign_read = cell.read;
    }
    cell.read_block = access.block + 1;
    cell.read = access.access;
    cell.other_read = {};
  } else if (thread_of(cell.read.tag) == thread_of(access.access.tag) ||
             cell.read.tag < moments.interval_first()) {
    cell.read = access.access;
  } else {
    cell.other_read = access.access;
  }
}

void GlobalShadow::write(Cell& cell, Place place, unsigned bytes, std::uint32_t old,
                         GlobalAccess access, const Moments& moments, GlobalListener& listener) {
  const Place start = place / bytes * bytes;
  const std::uint32_t value = listener.global_value(start, bytes);
  const bool both_atomic = is_atomic(cell.write) && is_atomic(access.access);
  if (!both_atomic && unordered(cell.write_block, cell.write.tag, access, moments)) {
    const bool own_block = cell.write_block - 1 == access.block;
    const bool same_value = !own_block ? cell.write_value == value
                            : listener.global_ran_before(cell.write.tag, access.access.tag)
                                ? old == value
                                : cell.write_old == value;
    if (!same_value || is_atomic(cell.write) || is_atomic(access.access)) {
      listener.global_race(place, {cell.write_block - 1, cell.write}, access);
    }
  }
  const auto against = [&](std::uint32_t block, AccessRecord read) {
    if (!unordered(block, read.tag, access, moments)) return false;
    listener.global_race(place, {block - 1, read}, access);
    return true;
  };
  if (!against(cell.read_block, cell.read) && !against(cell.foreign_block, cell.foreign_read) &&
      cell.other_read.site != 0) {
    against(cell.read_block, cell.other_read);
  }
  cell.write_block = access.block + 1;
  cell.write = access.access;
  cell.write_old = old;
  cell.write_value = value;
}

}  // namespace tilewise::simt
