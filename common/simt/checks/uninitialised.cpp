#include "common/simt/checks/uninitialised.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/names.hpp"

namespace tilewise::simt {

/// The padding that may lie between the members of a structure that is read as a whole. Assigning
/// the structure's members leaves the padding unwritten, and nobody uses it.
enum class Uninitialised::Padding {
  none,
  bytes,  ///< the bytes of a word behind other bytes of it
  words   ///< also the second of two words, since a member of 8 bytes begins behind it
};

/// The state of an allocation of device memory.
struct Uninitialised::Region {
  Region(Place first_, std::size_t bytes) : first(first_), words(bytes / word_bytes) {}

  /// One bit for each byte of a word that nothing has written yet.
  static constexpr unsigned byte_bits = 0xf;
  /// Set where a read of one of the word's bytes waits for the end of the launch.
  static constexpr std::uint8_t read_bit = 0x10;

  std::atomic_ref<std::uint8_t> word_at(Place place) {
    return std::atomic_ref(words[(place - first) / word_bytes]);
  }
  bool is_unwritten(Place place) {
    return (word_at(place).load(std::memory_order_relaxed) >> place % word_bytes & 1u) != 0;
  }

  /// Used for the host's accesses, while no kernel runs.
  void set(Place place, std::size_t bytes, bool has_value) {
    std::size_t now_unwritten = unwritten_bytes;
    for_each_word(place, bytes, [&](Place at, std::uint8_t touched) {
      const auto word = word_at(at);
      const unsigned before = word.load(std::memory_order_relaxed);
      const unsigned after = has_value ? before & ~touched : before | touched;
      word.store(static_cast<std::uint8_t>(after), std::memory_order_relaxed);
      now_unwritten += static_cast<std::size_t>(std::popcount(after & byte_bits));
      now_unwritten -= static_cast<std::size_t>(std::popcount(before & byte_bits));
    });
    unwritten_bytes = now_unwritten;
  }

  /// Used for a thread's write, while other threads may write, too. Calls `visit` for words whose
  /// read_bit is set.
  template <class Visit>
  void write(Place place, unsigned bytes, Visit&& visit) {
    for_each_word(place, bytes, [&](Place at, std::uint8_t touched) {
      const auto word = word_at(at);
      if ((word.load(std::memory_order_relaxed) & (touched | read_bit)) == 0) return;
      const unsigned before = word.fetch_and(static_cast<std::uint8_t>(~touched));
      unwritten_bytes -= static_cast<std::size_t>(std::popcount(before & touched));
      if ((before & read_bit) != 0) visit(at / word_bytes * word_bytes);
    });
  }

  /// Calls `visit(place, bits of the bytes)` for each word.
  template <class Visit>
  void for_each_word(Place place, std::size_t bytes, Visit&& visit) {
    for (std::size_t at = place, end = at + bytes; at < end;) {
      const auto offset = static_cast<unsigned>(at % word_bytes);
      const auto count =
          static_cast<unsigned>(std::min<std::size_t>(word_bytes - offset, end - at));
      visit(static_cast<Place>(at), static_cast<std::uint8_t>(((1u << count) - 1) << offset));
      at += count;
    }
  }

  Place first;
  LazyArray<std::uint8_t> words;
  std::atomic<std::size_t> unwritten_bytes{0};
  std::atomic<bool> has_reads{false};  ///< the read_bit of some word is set
};

/// The data that the observers of all operating-system threads share.
struct Uninitialised::Shared {
  struct Read {
    Place place;
    std::uint32_t block;
    Finding found;
  };

  std::atomic<bool> follows{false};  ///< otherwise all existing memory counts as written
  PerAllocation<Region> regions;
  std::mutex mutex;
  std::map<std::uint32_t, std::vector<Read>> reads;  ///< by site, for this launch
  /// By word with a waiting read: the block that wrote it.
  std::unordered_map<Place, std::uint32_t> last_writers;
};

Uninitialised::Shared& Uninitialised::of_all_threads() {
  static auto* shared = new Shared;  // outlives static destructors that use it
  return *shared;
}

void Uninitialised::watch(const Watch& watch) {
  if (watch.checks && !shared_.follows) {
    // It is not known what kernels have written while they were not watched.
    shared_.regions.for_each([](Region& region) {
      region.words.clear();
      region.unwritten_bytes = 0;
    });
  }
  shared_.follows = watch.checks;
}

void Uninitialised::allocated(Place first, std::size_t bytes) { shared_.regions.add(first, bytes); }

void Uninitialised::released(Place first, std::size_t bytes) {
  shared_.regions.remove(first, bytes);
}

void Uninitialised::initialised(Place first, std::size_t bytes, bool has_value) {
  if (!shared_.follows || bytes == 0) return;
  Region& region = shared_.regions.at(first);
  if (has_value && region.unwritten_bytes == 0) return;
  region.set(first, bytes, has_value);
}

void Uninitialised::copied(Place to, Place from, std::size_t bytes) {
  if (!shared_.follows || bytes == 0) return;
  Region& source = shared_.regions.at(from);
  if (source.unwritten_bytes == 0) return initialised(to, bytes, true);
  for (Place i = 0; i < bytes; ++i) initialised(to + i, 1, !source.is_unwritten(from + i));
}

// An object larger than a vector is reported word by word (recorder/hooks.cpp).
Uninitialised::Padding Uninitialised::padding_of(const Access& access) {
  const unsigned bytes = access.request.site.bytes();
  if (access.site.continues || bytes > sizeof(double)) return Padding::words;
  return bytes > word_bytes ? Padding::bytes : Padding::none;
}

template <class IsWritten>
bool Uninitialised::may_be(Padding padding, Place at, IsWritten&& is_written) {
  const Place word = at / word_bytes * word_bytes;
  if (padding != Padding::none && at != word && is_written(word)) return true;
  return padding == Padding::words && word % sizeof(double) == word_bytes &&
         is_written(word - word_bytes);
}

void Uninitialised::start(const BlockWatch& block) {
  Observer::start(block);
  array_of_site_.clear();
  if (!block.watch().checks || bytes_ >= BlockSharedMemory::room_in_use()) return;
  bytes_ = BlockSharedMemory::room_in_use();
  written_ = std::make_unique<Written>(bytes_);
}

void Uninitialised::start_block(bool tags_anew) {
  block_first_ = block().moments().block_first();
  pending_.clear();
  if (!tags_anew || !written_) return;
  written_->last.clear();
  written_->whole.clear();
  arrays_.clear();
  array_of_site_.clear();
}

// Shared memory: every block finds it unwritten.

Uninitialised::Array& Uninitialised::find_array(const SiteState& site) {
  if (site.number >= array_of_site_.size()) array_of_site_.resize(site.number + 1);
  Array& array = arrays_[site.begin];
  array_of_site_[site.number] = &array;
  if (array.block != block_first_) array = {site.begin, site.end - site.begin, block_first_};
  return array;
}

void Uninitialised::check_shared(Array& array, const Access& access) {
  const Request& request = access.request;
  const unsigned bytes = request.site.bytes();
  for (unsigned i = 0; i < access.pattern.distinct; ++i) {
    const LanesOfAddress lanes =
        lanes_of_address(request, access.pattern, i,
                         [&](Place place, unsigned size) { return block().value(place, size); });
    for (const unsigned lane : {lanes.first, lanes.other}) {
      if (lane == Pattern::no_lane) continue;
      const AccessRecord record = block().record_of(request, lane);
      if (access.action() != Action::write) {
        read_shared(request.places[lane], bytes, padding_of(access), record);
      }
      if (access.writes()) write_shared(array, request.places[lane], bytes, record.tag);
    }
  }
}

void Uninitialised::read_shared(Place place, unsigned bytes, Padding padding, AccessRecord read) {
  const auto is_written = [&](Place at) {
    return written_->last[at - shared_place] >= block_first_;
  };
  const unsigned in_word = std::min(bytes, word_bytes);
  for (Place at = place; at < place + bytes; at += word_bytes) {
    const std::size_t offset = at - shared_place;
    Tag& whole = written_->whole[offset / word_bytes];
    if (whole == block_first_) continue;
    unsigned unwritten = 0;
    for (unsigned i = 0; i < in_word; ++i) unwritten += written_->last[offset + i] < block_first_;
    if (unwritten == 0) {
      if (in_word == word_bytes) whole = block_first_;
    } else if (unwritten == word_bytes) {
      if (!may_be(padding, at, is_written)) pending_.push_back({at, read});
    } else {
      for (unsigned i = 0; i < in_word; ++i) {
        if (!is_written(at + i) && !may_be(padding, at + i, is_written)) {
          pending_.push_back({at + i, read});
        }
      }
    }
  }
}

void Uninitialised::write_shared(Array& array, Place place, unsigned bytes, Tag write) {
  for (std::size_t at = place - shared_place, end = at + bytes; at < end; ++at) {
    array.unwritten -= written_->last[at] < block_first_;
    written_->last[at] = write;
  }
}

/// For example: "; the array is float As[16][20], of which 64 elements are written by now, in rows
/// 0 to 15 and columns 0 to 3"
std::string Uninitialised::describe_written(const SharedNames::Declared& array) const {
  std::string text = tr("; the array is {}", array.declaration);
  if (array.extents.size() != 2) return text;
  const std::size_t cols = array.extents[1], count = array.extents[0] * cols;
  std::size_t written = 0, first_row = count, last_row = 0, first_col = count, last_col = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (written_->last[array.start - shared_place + i * array.element_bytes] < block_first_) {
      continue;
    }
    ++written;
    first_row = std::min(first_row, i / cols);
    last_row = std::max(last_row, i / cols);
    first_col = std::min(first_col, i % cols);
    last_col = std::max(last_col, i % cols);
  }
  if (written == 0) return text + tr(", of which nothing is written by now");
  text += tr(", of which {} elements are written by now, in rows {} to {} and columns {} to {}",
             written, first_row, last_row, first_col, last_col);
  return written == block().threads() ? text + tr(": as many as the block has threads") : text;
}

void Uninitialised::end_interval() {
  const Tag interval_first = block().moments().interval_first();
  for (const PendingRead& pending : std::exchange(pending_, {})) {
    const AccessRecord read = pending.read;
    const Tag write = written_->last[pending.place - shared_place];
    // Another thread has written the place later in this interval, which is already reported as a
    // race. This does not hold for atomics, the first of which really found nothing.
    const bool races = Site32(read.site).action() != Action::atomic && write >= interval_first &&
                       thread_of(write) != thread_of(read.tag);
    if (races) continue;
    block().report("uninitialised", read.site, thread_of(read.tag), [&]() -> BlockWatch::Words {
      const auto declared = block().names().declared_at(pending.place);
      return {
          tr("{} {} shared {}, which no thread has written", block().name_of(thread_of(read.tag)),
             verb(read.site), block().element_at(pending.place)) +
              (declared && declared->has_rows() ? describe_written(*declared) : ""),
          block().array_of(pending.place)};
    });
  }
}

void Uninitialised::private_access(const PrivateAccess& access) {
  if (access.offset) return;  // reported by Bounds
  block().report("uninitialised", access.site, access.thread, [&]() -> BlockWatch::Words {
    const DeclaredVariable& variable = access.variable;
    const std::string who = block().name_of(access.thread), does = verb(access.site);
    if (variable.name.empty()) {
      return {tr("{} {} a variable of its own, which has no value yet", who, does)};
    }
    const std::string what =
        variable.rank > 0 ? tr("an element of {}", variable.name) : variable.name;
    return {tr("{} {} {}, a variable of its own that has no value yet (declared on line {})", who,
               does, what, variable.line),
            variable.name};
  });
}

// Device memory.

void Uninitialised::global_access(const Access& access) {
  const Request& request = access.request;
  Region& region = shared_.regions.at(request.first_place());
  if (region.unwritten_bytes == 0 && !region.has_reads) return;
  const unsigned bytes = request.site.bytes();
  for (unsigned i = 0; i < access.pattern.distinct; ++i) {
    const unsigned lane = access.pattern.lane[i];
    const Place place = request.places[lane];
    if (access.action() != Action::write) {
      read_global(region, place, bytes, padding_of(access), block().record_of(request, lane));
    }
    if (access.writes() && !access.site.read_only) write_global(region, place, bytes);
  }
}

void Uninitialised::read_global(Region& region, Place place, unsigned bytes, Padding padding,
                                AccessRecord read) const {
  const auto is_written = [&](Place at) { return !region.is_unwritten(at); };
  constexpr std::size_t enough = 64;  // for each site; only one of them is reported
  for (Place at = place; at < place + bytes; ++at) {
    if (is_written(at) || may_be(padding, at, is_written)) continue;
    const std::lock_guard lock(shared_.mutex);
    std::vector<Shared::Read>& of_site = shared_.reads[read.site];
    if (of_site.size() >= enough) return;
    of_site.push_back({at, block().number(), explain(at, read)});
    region.word_at(at).fetch_or(Region::read_bit);
    region.has_reads = true;
    return;
  }
}

void Uninitialised::write_global(Region& region, Place place, unsigned bytes) const {
  region.write(place, bytes, [&](Place word) {
    const std::lock_guard lock(shared_.mutex);
    shared_.last_writers[word] = block().number();
  });
}

// Only now is it known whether another block has written what was read, and had just not been
// processed yet.
void Uninitialised::end_launch(const LaunchResults&) {
  constexpr auto behind_all_blocks = std::numeric_limits<std::uint32_t>::max();
  for (auto& [site, reads] : std::exchange(shared_.reads, {})) {
    for (Shared::Read& read : reads) {
      Region& region = shared_.regions.at(read.place);
      const auto writer = shared_.last_writers.find(read.place / word_bytes * word_bytes);
      const bool only_own_block =
          writer != shared_.last_writers.end() && writer->second == read.block;
      region.word_at(read.place).fetch_and(Region::byte_bits);
      region.has_reads = false;
      if (!region.is_unwritten(read.place) && !only_own_block) continue;
      Findings::instance().add(std::move(read.found), behind_all_blocks);
    }
  }
  shared_.last_writers.clear();
}

Finding Uninitialised::explain(Place place, AccessRecord read) const {
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  const bool above = range && above_diagonal(*range, address_of(place));
  const SourceLine line = block().line_of(read.site);
  return {
      .kind = above ? "above-diagonal" : "uninitialised",
      .message = fmt::format("{} {} {}, {}", block().name_of(thread_of(read.tag)), verb(read.site),
                             block().element_at(place),
                             above ? tr("above the diagonal") : tr("which nothing has written")),
      .file = line.file,
      .line = line.line,
      .place = block().place_of(thread_of(read.tag)),
      .array = block().array_of(place)};
}

}  // namespace tilewise::simt
