#include "common/simt/checks/shared_races.hpp"

#include <algorithm>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/names.hpp"

namespace tilewise::simt {

namespace {

bool is_atomic(std::uint32_t site) { return Site32(site).action() == Action::atomic; }

}  // namespace

void SharedRaces::start(const BlockWatch& block) {
  Observer::start(block);
  if (!block.watch().checks || bytes_ >= BlockSharedMemory::room_in_use()) return;
  bytes_ = BlockSharedMemory::room_in_use();
  words_ = std::make_unique<Words>(bytes_);
}

void SharedRaces::start_block(bool tags_anew) {
  if (!block().watch().checks) return;
  for (const auto& [word, unused] : split_words_) words_->cells[word] = Cell{};
  split_words_.clear();
  split_bytes_.clear();
  twins_.clear();
  pending_.clear();
  if (!tags_anew) return;
  words_->cells.clear();
  words_->settled.clear();
}

void SharedRaces::shared_access(const Access& access) {
  const Pattern& pattern = access.pattern;
  if (access.action() == Action::read && access.request.site.bytes() == word_bytes) {
    // Most accesses end here: once two warps have read a word, other threads may read it, too.
    const Tag interval = block().moments().interval_first();
    const LazyArray<Tag>& settled = words_->settled;
    for (unsigned i = 0; i < pattern.distinct; ++i) {
      const Place place = access.request.places[pattern.lane[i]];
      if (settled[(place - shared_place) / word_bytes] != interval) check(access, i);
    }
    return;
  }
  for (unsigned i = 0; i < pattern.distinct; ++i) check(access, i);
}

/// Checks the access at one of the pattern's distinct addresses.
void SharedRaces::check(const Access& access, unsigned i) {
  const Request& request = access.request;
  const Pattern& pattern = access.pattern;
  const unsigned bytes = request.site.bytes();
  // Reads, which are most of all accesses, do not need lanes_of_address().
  LanesOfAddress lanes{pattern.lane[i], pattern.other_lane[i]};
  if (request.site.action() == Action::write && lanes.other != Pattern::no_lane) {
    lanes = lanes_of_address(request, pattern, i, [&](Place place, unsigned size) {
      return block().value(place, size);
    });
  }
  for (const unsigned lane : {lanes.first, lanes.other}) {
    if (lane == Pattern::no_lane) continue;
    const Place place = request.places[lane];
    const AccessRecord record = block().record_of(request, lane);
    for (Place at = place; at < place + bytes; at += word_bytes) {
      const std::size_t word = (at - shared_place) / word_bytes;
      if (bytes < word_bytes || is_split(word)) {
        check_bytes(request, lane, at, std::min(bytes, word_bytes));
        continue;
      }
      Cell& cell = words_->cells[word];
      if (request.site.action() == Action::read) {
        read(cell, at, record, false);
      } else {
        write(cell, at, record, request.olds[lane], bytes);
      }
    }
  }
}

void SharedRaces::read(Cell& cell, Place place, AccessRecord read, bool of_byte) {
  const Moments& moments = block().moments();
  if (moments.concurrent(cell.write, thread_of(read.tag))) {
    report(place, cell.write, cell.write_site, read);
  }
  mark_read(cell, read);
  if (of_byte || cell.other_read < moments.interval_first()) return;
  if (warp_of_thread(thread_of(cell.read)) != warp_of_thread(thread_of(cell.other_read))) {
    // A later write conflicts with at least one of the two reads, so further readers do not matter.
    words_->settled[(place - shared_place) / word_bytes] = moments.interval_first();
  }
}

void SharedRaces::mark_read(Cell& cell, AccessRecord read) const {
  const Tag interval = block().moments().interval_first();
  if (cell.read < interval || thread_of(cell.read) == thread_of(read.tag)) {
    cell.read = read.tag;
    cell.read_site = read.site;
    return;
  }
  const auto warp = [](Tag tag) { return warp_of_thread(thread_of(tag)); };
  const bool two_warps = cell.other_read >= interval && warp(cell.other_read) != warp(cell.read);
  if (two_warps && warp(read.tag) == warp(cell.read)) return;
  cell.other_read = read.tag;
  cell.other_read_site = read.site;
}

void SharedRaces::write(Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                        unsigned bytes) {
  const Moments& moments = block().moments();
  const unsigned thread = thread_of(write.tag);
  const bool atomic = is_atomic(write.site);
  if (moments.concurrent(cell.write, thread)) {
    const bool other_atomic = is_atomic(cell.write_site);
    if (atomic || other_atomic) {
      if (!atomic || !other_atomic) {
        report(place, cell.write, cell.write_site, write);
      } else if (moments.concurrent(cell.stored, thread)) {
        report(place, cell.stored, cell.stored_site, write);
      }
    } else if (cell.passing_site != 0) {
      report(place, cell.write, cell.passing_site, write);
    } else if (!same_value(cell, place, write, old, bytes)) {
      report(place, cell.write, cell.write_site, write);
    } else {
      twins_[place] = {cell.write, cell.write_site};
    }
    cell.passing_site = 0;
  } else if (cell.write == write.tag) {
    write_again(cell, place, write, old, bytes);
  } else {
    cell.passing_site = 0;
  }
  if (moments.concurrent(cell.read, thread)) {
    report(place, cell.read, cell.read_site, write);
  } else if (moments.concurrent(cell.other_read, thread)) {
    report(place, cell.other_read, cell.other_read_site, write);
  }
  if (atomic && !is_atomic(cell.write_site)) {
    cell.stored = cell.write;
    cell.stored_site = cell.write_site;
  }
  cell.write = write.tag;
  cell.write_site = write.site;
  cell.write_old = old;
}

// Two threads that store the same value do no harm. The second one finds what the first has stored.
bool SharedRaces::same_value(const Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                             unsigned bytes) const {
  const std::uint32_t final_value = block().value(place / bytes * bytes, bytes);
  return block().ran_before(cell.write, write.tag) ? old == final_value
                                                   : cell.write_old == final_value;
}

// The value that the thread found is the one that it stored before. If that is not the final value,
// another thread that stored the final value, or found it, has not stored the same.
void SharedRaces::write_again(Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                              unsigned bytes) {
  if (is_atomic(write.site) || is_atomic(cell.write_site)) return;
  if (Site32(cell.write_site).bytes() != bytes) return;
  if (cell.passing_site != 0 || old == block().value(place / bytes * bytes, bytes)) return;
  cell.passing_site = cell.write_site;
  if (twins_.empty()) return;
  const auto twin = twins_.find(place);
  if (twin == twins_.end()) return;
  if (!block().moments().concurrent(twin->second.tag, thread_of(write.tag))) return;
  report(place, twin->second.tag, twin->second.site, {cell.write, cell.write_site});
}

void SharedRaces::split(std::size_t word) {
  if (!split_words_.emplace(word, true).second) return;
  for (std::size_t i = 0; i < word_bytes; ++i) {
    split_bytes_[word * word_bytes + i] = words_->cells[word];
  }
  words_->settled[word] = 0;
}

void SharedRaces::check_bytes(const Request& request, unsigned lane, Place from, unsigned count) {
  const AccessRecord record = block().record_of(request, lane);
  const std::size_t first = from - shared_place;
  for (std::size_t byte = first; byte < first + count; ++byte) {
    split(byte / word_bytes);
    Cell& cell = split_bytes_[byte];
    if (request.site.action() == Action::read) {
      read(cell, shared_place + static_cast<Place>(byte), record, true);
    } else {
      write(cell, request.places[lane], record, request.olds[lane], request.site.bytes());
    }
  }
}

void SharedRaces::report(Place place, Tag earlier, std::uint32_t earlier_site, AccessRecord later) {
  const auto is_read = [](std::uint32_t site) { return Site32(site).action() == Action::read; };
  const auto declared = block().names().declared_at(place);
  const bool is_of_two_buffers = declared && declared->has_rows() && declared->extents[0] == 2 &&
                                 is_read(earlier_site) != is_read(later.site);
  if (!is_of_two_buffers) return tell({place, {earlier, earlier_site}, later}, "");
  // Only at the end of the interval is it known what the other buffer was used for.
  constexpr std::size_t enough = 4096;  // races of lanes come first, those of warps after them
  if (pending_.size() < enough) pending_.push_back({place, {earlier, earlier_site}, later});
}

void SharedRaces::tell(const Race& race, const std::string& note) const {
  const std::uint32_t number = block().number();
  block().report_race(race.place, {number, race.earlier}, {number, race.later}, note);
}

void SharedRaces::end_interval() {
  const Tag interval = block().moments().interval_first();
  for (const Race& race : std::exchange(pending_, {})) {
    const auto declared = block().names().declared_at(race.place);
    const std::size_t bytes = declared->bytes() / 2;
    const bool is_second = race.place - declared->start >= bytes;
    const std::size_t first =
        (declared->start - shared_place + (is_second ? 0 : bytes)) / word_bytes;
    bool reads_other = false;
    for (std::size_t word = first; word < first + bytes / word_bytes && !reads_other; ++word) {
      reads_other = words_->cells[word].read >= interval || is_split(word);
    }
    tell(race, reads_other ? ""
                           : tr("; both use {}[{}], ", declared->name, is_second ? 1 : 0) +
                                 tr("one of two buffers, and nobody reads the other one in the "
                                    "meantime"));
  }
}

}  // namespace tilewise::simt
