#include "common/simt/recorder/global_shadow.hpp"

#include <algorithm>
#include <bit>
#include <thread>
#include <utility>

namespace tilewise::simt {

namespace {

constexpr std::size_t pages = shared_place >> device_page_bits;

bool is_atomic(AccessRecord access) { return Site32(access.site).action() == Action::atomic; }

/// Bits of the bytes [first, first + bytes) of a word.
std::uint8_t byte_bits(unsigned first, unsigned bytes) {
  return static_cast<std::uint8_t>(((1u << bytes) - 1) << first);
}

/// All bits of the bytes that have a bit set.
std::uint32_t bits_of_bytes(std::uint8_t bytes) {
  std::uint32_t bits = 0;
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    if ((bytes >> byte & 1u) != 0) bits |= 0xffu << 8 * byte;
  }
  return bits;
}

}  // namespace

/// Keeps other threads from the cells of one stretch of memory. Two blocks seldom want the same
/// stretch at once.
class GlobalShadow::Hold {
 public:
  explicit Hold(Region& region) : region_(region) {}
  ~Hold() { release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  void move_to(Place place) {
    std::atomic<std::uint32_t>* wanted = &region_.busy[(place - region_.first) / bytes_held];
    if (wanted == held_) return;
    release();
    while (wanted->exchange(1, std::memory_order_acquire) != 0) std::this_thread::yield();
    held_ = wanted;
  }

 private:
  void release() {
    if (held_ != nullptr) held_->store(0, std::memory_order_release);
  }

  Region& region_;
  std::atomic<std::uint32_t>* held_ = nullptr;
};

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
      region->unwritten_bytes = 0;
    }
  }
  follows_ = wanted;
}

void GlobalShadow::allocated(Place first, std::size_t page_bytes) {
  const std::lock_guard lock(regions_mutex_);
  auto region = std::make_unique<Region>(first, page_bytes);
  for (std::size_t at = 0; at < page_bytes; at += std::size_t{1} << device_page_bits) {
    by_page_[(first + at) >> device_page_bits].store(region.get(), std::memory_order_release);
  }
  owned_.push_back(std::move(region));
}

void GlobalShadow::released(Place first, std::size_t page_bytes) {
  const std::lock_guard lock(regions_mutex_);
  for (std::size_t at = 0; at < page_bytes; at += std::size_t{1} << device_page_bits) {
    by_page_[(first + at) >> device_page_bits].store(nullptr, std::memory_order_release);
  }
  std::erase_if(owned_, [&](const auto& region) { return region->first == first; });
}

void GlobalShadow::set_written(Place place, std::size_t bytes, bool written) {
  if (!follows_ || bytes == 0) return;
  Region& region = region_at(place);
  if (written && region.unwritten_bytes == 0) return;
  for (std::size_t at = place - region.first, end = at + bytes; at < end;) {
    const auto offset = static_cast<unsigned>(at % word_bytes);
    const auto count = static_cast<unsigned>(std::min<std::size_t>(word_bytes - offset, end - at));
    std::uint8_t& bits = region.unwritten[at / word_bytes];
    const unsigned touched = byte_bits(offset, count);
    const unsigned changed = written ? bits & touched : ~bits & touched;
    bits = static_cast<std::uint8_t>(bits ^ changed);
    const auto changes = static_cast<std::size_t>(std::popcount(changed));
    if (changes != 0) region.unwritten_bytes += written ? 0 - changes : changes;
    at += count;
  }
}

void GlobalShadow::copy_written(Place to, Place from, std::size_t bytes) {
  if (!follows_ || bytes == 0) return;
  Region& source = region_at(from);
  if (source.unwritten_bytes == 0) return set_written(to, bytes, true);
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

void GlobalShadow::access(const Request& request, const Pattern& pattern, bool alone,
                          std::uint32_t block, const Moments& moments, GlobalListener& listener) {
  const unsigned bytes = request.site.bytes();
  Region& region = region_at(request.first_place());
  if (alone && region.unwritten_bytes == 0) return;
  Hold hold(region);
  const auto visit = [&](unsigned lane) {
    const GlobalAccess access{block, {moments.tag(request.warp * 32 + lane), request.site.word()}};
    const Place place = request.places[lane];
    hold.move_to(place);
    if (request.site.action() != Action::write) {
      check_written(region, place, bytes, access, listener);
    }
    if (alone) return;
    access_word(region, place, bytes, request.olds[lane], access, moments, listener);
  };
  for (unsigned i = 0; i < pattern.distinct; ++i) {
    const LanesOfAddress lanes =
        lanes_of_address(request, pattern, i,
                         [&](Place place, unsigned size) { return listener.value(place, size); });
    visit(lanes.first);
    if (lanes.other != Pattern::no_lane) visit(lanes.other);
  }
}

bool GlobalShadow::is_unwritten(Region& region, Place place) const {
  const std::size_t at = place - region.first;
  return (region.unwritten[at / word_bytes] >> at % word_bytes & 1u) != 0;
}

void GlobalShadow::check_written(Region& region, Place place, unsigned bytes, GlobalAccess read,
                                 GlobalListener& listener) {
  if (region.unwritten_bytes == 0) return;
  constexpr std::size_t enough = 64;  // for each site: one of them is told
  for (Place at = place; at < place + bytes; ++at) {
    if (!is_unwritten(region, at)) continue;
    const std::lock_guard lock(pending_mutex_);
    std::vector<PendingRead>& of_site = pending_[read.access.site];
    if (of_site.size() < enough) {
      of_site.push_back({at, read.block, listener.global_unwritten(at, read.access)});
    }
    return;
  }
}

std::vector<Diagnostic> GlobalShadow::finish_launch() {
  std::vector<Diagnostic> found;
  for (const auto& [site, reads] : std::exchange(pending_, {})) {
    for (const PendingRead& read : reads) {
      Region& region = region_at(read.place);
      const Cell& cell = region.cells[(read.place - region.first) / word_bytes];
      const bool only_own_block = cell.launch == launch_ && cell.write_block == read.block + 1;
      if (is_unwritten(region, read.place) || only_own_block) found.push_back(read.found);
    }
  }
  return found;
}

void GlobalShadow::access_word(Region& region, Place place, unsigned bytes, std::uint32_t old,
                               GlobalAccess access, const Moments& moments,
                               GlobalListener& listener) {
  const bool writes = Site32(access.access.site).action() != Action::read;
  const std::uint32_t launch = launch_.load(std::memory_order_relaxed);
  for (Place at = place; at < place + bytes; at += word_bytes) {
    Cell& cell = region.cells[(at - region.first) / word_bytes];
    if (cell.launch != launch) {
      cell = Cell{};
      cell.launch = launch;
    }
    const std::uint8_t touched = byte_bits(at % word_bytes, std::min(bytes, word_bytes));
    if (writes) {
      write(cell, at, bytes, touched, old, access, moments, listener);
    } else {
      read(cell, at, touched, access, moments, listener);
    }
  }
  if (writes) set_written(place, bytes, true);
}

bool GlobalShadow::unordered(std::uint32_t block, AccessRecord earlier, unsigned common_bytes,
                             GlobalAccess access, const Moments& moments) const {
  if (block == 0 || common_bytes == 0) return false;
  if (block - 1 == access.block) {
    return moments.concurrent(earlier.tag, thread_of(access.access.tag));
  }
  if (!any_fenced_) return true;
  const std::lock_guard lock(fenced_mutex_);
  return fenced_.count(block - 1) == 0 && fenced_.count(access.block) == 0;
}

void GlobalShadow::read(Cell& cell, Place place, std::uint8_t touched, GlobalAccess access,
                        const Moments& moments, GlobalListener& listener) {
  const std::uint32_t own_block = access.block + 1;
  const unsigned written = cell.write_block == own_block ? cell.write_bytes : cell.block_bytes;
  if (unordered(cell.write_block, cell.write, written & touched, access, moments)) {
    listener.global_race(place, {cell.write_block - 1, cell.write}, access);
  }
  if (cell.read_block != own_block) {
    cell.foreign_block = cell.read_block;
    cell.foreign_read = cell.read;
    cell.foreign_read_bytes = cell.read_bytes;
    cell.read_block = own_block;
    cell.read = access.access;
    cell.read_bytes = touched;
    cell.other_read_bytes = 0;
  } else if (thread_of(cell.read.tag) == thread_of(access.access.tag) ||
             cell.read.tag < moments.interval_first()) {
    cell.read = access.access;
    cell.read_bytes = touched;
  } else {
    cell.other_read = access.access;
    cell.other_read_bytes = touched;
  }
}

void GlobalShadow::write(Cell& cell, Place place, unsigned bytes, std::uint8_t touched,
                         std::uint32_t old, GlobalAccess access, const Moments& moments,
                         GlobalListener& listener) {
  const bool own_block = cell.write_block == access.block + 1;
  const unsigned written = own_block ? cell.write_bytes : cell.block_bytes;
  const std::uint32_t word = listener.value(place / word_bytes * word_bytes, word_bytes);
  if (unordered(cell.write_block, cell.write, written & touched, access, moments)) {
    // Two threads that store the same value do no harm, nor do two atomics.
    const auto same_value = [&] {
      const std::uint32_t value = listener.value(place / bytes * bytes, bytes);
      if (!own_block) {
        // Which came first is not known, but the second found what the first had stored.
        return ((cell.write_value ^ word) & bits_of_bytes(touched)) == 0 &&
               (old == value || cell.write_old == value);
      }
      return listener.ran_before(cell.write.tag, access.access.tag) ? old == value
                                                                    : cell.write_old == value;
    };
    const bool harmless = is_atomic(cell.write) || is_atomic(access.access)
                              ? is_atomic(cell.write) && is_atomic(access.access)
                              : same_value();
    if (!harmless) listener.global_race(place, {cell.write_block - 1, cell.write}, access);
  }
  const auto against = [&](std::uint32_t block, AccessRecord read, std::uint8_t read_bytes) {
    if (!unordered(block, read, read_bytes & touched, access, moments)) return false;
    listener.global_race(place, {block - 1, read}, access);
    return true;
  };
  if (!against(cell.read_block, cell.read, cell.read_bytes) &&
      !against(cell.foreign_block, cell.foreign_read, cell.foreign_read_bytes)) {
    against(cell.read_block, cell.other_read, cell.other_read_bytes);
  }
  cell.block_bytes = static_cast<std::uint8_t>((own_block ? cell.block_bytes : 0) | touched);
  cell.write_bytes = touched;
  cell.write_block = access.block + 1;
  cell.write = access.access;
  cell.write_old = old;
  cell.write_value = word;
}

}  // namespace tilewise::simt
