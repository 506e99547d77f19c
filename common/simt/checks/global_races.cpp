#include "common/simt/checks/global_races.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <vector>

#include "common/simt/runtime/block_watch.hpp"

namespace tilewise::simt {

namespace {

/// The bytes of one stretch of memory. A warp's coalesced request needs one or two stretches.
constexpr std::size_t bytes_held = 4096;

bool is_atomic(AccessRecord access) { return Site32(access.site).action() == Action::atomic; }

/// Returns one bit for each of the bytes [first, first + bytes) of a word.
std::uint8_t byte_bits(unsigned first, unsigned bytes) {
  return static_cast<std::uint8_t>(((1u << bytes) - 1) << first);
}

/// Returns all bits of the bytes whose bit is set.
std::uint32_t bits_of_bytes(std::uint8_t bytes) {
  std::uint32_t bits = 0;
  for (unsigned byte = 0; byte < word_bytes; ++byte) {
    if ((bytes >> byte & 1u) != 0) bits |= 0xffu << 8 * byte;
  }
  return bits;
}

}  // namespace

/// What is remembered of one word in this launch; it fills a cache line of the host. Blocks are
/// counted from 1, and 0 stands for none. `bytes` members have one bit for each byte of the word.
struct alignas(64) GlobalRaces::Cell {
  struct Values {
    std::uint32_t old;    ///< what the write found, folded
    std::uint32_t whole;  ///< the whole word when the write's interval had ended
  };
  std::uint32_t launch;
  std::uint32_t write_block;
  AccessRecord write;
  union {
    Values values;  ///< of a plain store
    /// Of an atomic: the plain store that its block made before it, which races with other atomics.
    AccessRecord stored;
  };
  std::uint32_t read_block;  ///< the block that read it last, by up to two threads
  AccessRecord read, other_read;
  std::uint32_t foreign_block;  ///< another block that read it
  AccessRecord foreign_read;
  std::uint8_t write_bytes;
  std::uint8_t block_bytes;  ///< the bytes that all threads of write_block have written
  std::uint8_t read_bytes, other_read_bytes, foreign_read_bytes;
  /// The write's thread had stored something other than the final value just before.
  bool passing;
};

/// The state of an allocation.
struct GlobalRaces::Region {
  Region(Place first_, std::size_t bytes)
      : first(first_), cells(bytes / word_bytes), busy(bytes / bytes_held + 1) {}
  Place first;
  LazyArray<Cell> cells;  ///< by word
  /// By stretch of `bytes_held`: not 0 while a thread accesses its cells.
  std::vector<std::atomic<std::uint32_t>> busy;
};

/// The data that the observers of all operating-system threads share.
struct GlobalRaces::Shared {
  PerAllocation<Region> regions;
  std::atomic<std::uint32_t> launch{0};
  std::mutex fenced_mutex;
  std::atomic<bool> any_fenced{false};
  std::unordered_set<std::uint32_t> fenced;  ///< blocks
};

/// Keeps other threads away from the cells of one stretch of memory. Two blocks seldom need the
/// same stretch at the same time.
class GlobalRaces::Hold {
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

GlobalRaces::Shared& GlobalRaces::of_all_threads() {
  static auto* shared = new Shared;  // outlives static destructors that use it
  return *shared;
}

void GlobalRaces::allocated(Place first, std::size_t bytes) { shared_.regions.add(first, bytes); }

void GlobalRaces::released(Place first, std::size_t bytes) { shared_.regions.remove(first, bytes); }

void GlobalRaces::begin_launch(const Watch&, const LaunchConfiguration&) {
  ++shared_.launch;
  shared_.fenced.clear();
  shared_.any_fenced = false;
}

void GlobalRaces::fence() {
  const std::lock_guard lock(shared_.fenced_mutex);
  shared_.fenced.insert(block().number());
  shared_.any_fenced = true;
}

void GlobalRaces::global_access(const Access& access) {
  // No kernel may write to an input, which another check looks at, and reads do not race.
  if (access.site.read_only) return;
  const Request& request = access.request;
  Region& region = shared_.regions.at(request.first_place());
  Hold hold(region);
  const auto visit = [&](unsigned lane) {
    hold.move_to(request.places[lane]);
    check(region, request.places[lane], access, lane);
  };
  for (unsigned i = 0; i < access.pattern.distinct; ++i) {
    const LanesOfAddress lanes =
        lanes_of_address(request, access.pattern, i,
                         [&](Place place, unsigned size) { return block().value(place, size); });
    visit(lanes.first);
    if (lanes.other != Pattern::no_lane) visit(lanes.other);
  }
}

void GlobalRaces::check(Region& region, Place place, const Access& access, unsigned lane) {
  const unsigned bytes = access.request.site.bytes();
  const AccessRecord record = block().record_of(access.request, lane);
  const std::uint32_t launch = shared_.launch.load(std::memory_order_relaxed);
  for (Place at = place; at < place + bytes; at += word_bytes) {
    Cell& cell = region.cells[(at - region.first) / word_bytes];
    if (cell.launch != launch) {
      cell = Cell{};
      cell.launch = launch;
    }
    const std::uint8_t touched = byte_bits(at % word_bytes, std::min(bytes, word_bytes));
    if (access.writes()) {
      write(cell, at, touched, record, access.request.olds[lane], bytes);
    } else {
      read(cell, at, touched, record);
    }
  }
}

bool GlobalRaces::unordered(std::uint32_t other_block, AccessRecord earlier, unsigned common_bytes,
                            AccessRecord access) const {
  if (other_block == 0 || common_bytes == 0) return false;
  if (other_block - 1 == block().number()) {
    return block().moments().concurrent(earlier.tag, thread_of(access.tag));
  }
  if (!shared_.any_fenced) return true;
  const std::lock_guard lock(shared_.fenced_mutex);
  return !shared_.fenced.contains(other_block - 1) && !shared_.fenced.contains(block().number());
}

void GlobalRaces::read(Cell& cell, Place place, std::uint8_t touched, AccessRecord read) const {
  const std::uint32_t own_block = block().number() + 1;
  const unsigned written = cell.write_block == own_block ? cell.write_bytes : cell.block_bytes;
  if (unordered(cell.write_block, cell.write, written & touched, read)) {
    report(place, cell.write_block, cell.write, read);
  }
  if (cell.read_block != own_block) {
    cell.foreign_block = cell.read_block;
    cell.foreign_read = cell.read;
    cell.foreign_read_bytes = cell.read_bytes;
    cell.read_block = own_block;
    cell.read = read;
    cell.read_bytes = touched;
    cell.other_read_bytes = 0;
  } else if (thread_of(cell.read.tag) == thread_of(read.tag) ||
             cell.read.tag < block().moments().interval_first()) {
    cell.read = read;
    cell.read_bytes = touched;
  } else {
    cell.other_read = read;
    cell.other_read_bytes = touched;
  }
}

void GlobalRaces::write(Cell& cell, Place place, std::uint8_t touched, AccessRecord write,
                        std::uint32_t old, unsigned bytes) {
  const std::uint32_t own_block = block().number() + 1;
  const bool by_own_block = cell.write_block == own_block;
  const unsigned written = by_own_block ? cell.write_bytes : cell.block_bytes;
  const std::uint32_t word = block().value(place / word_bytes * word_bytes, word_bytes);
  if (unordered(cell.write_block, cell.write, written & touched, write)) {
    // Two threads that store the same value do no harm, and neither do two atomics.
    const auto same_value = [&] {
      const std::uint32_t value = block().value(place / bytes * bytes, bytes);
      if (!by_own_block) {
        // Which write came first is not known, but the second found what the first had stored.
        return ((cell.values.whole ^ word) & bits_of_bytes(touched)) == 0 &&
               (old == value || cell.values.old == value);
      }
      return block().ran_before(cell.write.tag, write.tag) ? old == value
                                                           : cell.values.old == value;
    };
    const bool some_atomic = is_atomic(cell.write) || is_atomic(write);
    const bool both_atomic = is_atomic(cell.write) && is_atomic(write);
    const bool harmless = some_atomic ? both_atomic : !cell.passing && same_value();
    if (!harmless) report(place, cell.write_block, cell.write, write);
    if (harmless && !some_atomic) twins_[place] = {cell.write_block, cell.write};
    if (both_atomic && cell.stored.tag != 0 &&
        unordered(cell.write_block, cell.stored, written & touched, write)) {
      report(place, cell.write_block, cell.stored, write);
    }
    cell.passing = false;
  } else if (by_own_block && cell.write.tag == write.tag && cell.write_bytes == touched) {
    write_again(cell, place, write, old, bytes);
  } else {
    cell.passing = false;
  }
  const auto against = [&](std::uint32_t other_block, AccessRecord read, std::uint8_t read_bytes) {
    if (!unordered(other_block, read, read_bytes & touched, write)) return false;
    report(place, other_block, read, write);
    return true;
  };
  if (!against(cell.read_block, cell.read, cell.read_bytes) &&
      !against(cell.foreign_block, cell.foreign_read, cell.foreign_read_bytes)) {
    against(cell.read_block, cell.other_read, cell.other_read_bytes);
  }
  if (!is_atomic(write)) {
    cell.values = {old, word};
  } else if (!by_own_block) {
    cell.stored = {};
  } else if (!is_atomic(cell.write)) {
    cell.stored = cell.write;
  }
  cell.block_bytes = static_cast<std::uint8_t>((by_own_block ? cell.block_bytes : 0) | touched);
  cell.write_bytes = touched;
  cell.write_block = own_block;
  cell.write = write;
}

// The value that the thread found is the one that it stored before. If that is not the final value,
// another thread that stored the final value, or found it, has not stored the same.
void GlobalRaces::write_again(Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                              unsigned bytes) {
  if (is_atomic(write) || is_atomic(cell.write) || cell.passing) return;
  if (Site32(cell.write.site).bytes() != bytes) return;
  if (old == block().value(place / bytes * bytes, bytes)) return;
  cell.passing = true;
  if (twins_.empty()) return;
  const auto twin = twins_.find(place);
  if (twin == twins_.end()) return;
  const auto& [other_block, other] = twin->second;
  if (unordered(other_block, other, ~0u, write)) report(place, other_block, other, cell.write);
}

void GlobalRaces::report(Place place, std::uint32_t other_block, AccessRecord earlier,
                         AccessRecord later) const {
  block().report_race(place, {other_block - 1, earlier}, {block().number(), later});
}

}  // namespace tilewise::simt
