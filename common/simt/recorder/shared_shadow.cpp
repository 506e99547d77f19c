#include "common/simt/recorder/shared_shadow.hpp"

#include <algorithm>

namespace tilewise::simt {

namespace {

AccessRecord record_of(const Request& request, unsigned lane, const Moments& moments) {
  return {moments.tag(request.warp * 32 + lane), request.site.word()};
}

bool is_atomic(std::uint32_t site) { return Site32(site).action() == Action::atomic; }

}  // namespace

SharedShadow::SharedShadow(std::size_t bytes, const Moments& moments, SharedListener& listener)
    : moments_(moments),
      listener_(listener),
      words_(bytes / word_bytes),
      settled_(bytes / word_bytes) {}

void SharedShadow::start_block(bool forget_all) {
  for (const auto& [word, unused] : split_words_) words_[word] = Cell{};
  split_words_.clear();
  bytes_.clear();
  if (!forget_all) return;
  words_.clear();
  settled_.clear();
}

void SharedShadow::access(const Request& request, const Pattern& pattern) {
  if (request.site.action() == Action::read && request.site.bytes() == word_bytes) {
    // Most accesses end here: what two warps have read, the others may read too.
    const Tag interval = moments_.interval_first();
    for (unsigned i = 0; i < pattern.distinct; ++i) {
      const Place place = request.places[pattern.lane[i]];
      if (settled_[(place - shared_place) / word_bytes] != interval) access(request, pattern, i);
    }
    return;
  }
  for (unsigned i = 0; i < pattern.distinct; ++i) access(request, pattern, i);
}

/// One of the pattern's distinct addresses.
void SharedShadow::access(const Request& request, const Pattern& pattern, unsigned i) {
  const unsigned bytes = request.site.bytes();
  // Reads, which are most of all accesses, need not ask.
  LanesOfAddress lanes{pattern.lane[i], pattern.other_lane[i]};
  if (request.site.action() == Action::write && lanes.other != Pattern::no_lane) {
    lanes = lanes_of_address(request, pattern, i, [&](Place place, unsigned size) {
      return listener_.value(place, size);
    });
  }
  for (const unsigned lane : {lanes.first, lanes.other}) {
    if (lane == Pattern::no_lane) continue;
    const Place place = request.places[lane];
    const AccessRecord access = record_of(request, lane, moments_);
    for (Place at = place; at < place + bytes; at += word_bytes) {
      const std::size_t word = (at - shared_place) / word_bytes;
      if (bytes < word_bytes || is_split(word)) {
        access_by_bytes(request, lane, at, std::min(bytes, word_bytes));
        continue;
      }
      Cell& cell = words_[word];
      if (request.site.action() == Action::read) {
        read(cell, at, access, false);
      } else {
        write(cell, at, access, request.olds[lane], bytes);
      }
    }
  }
}

void SharedShadow::read(Cell& cell, Place place, AccessRecord read, bool of_byte) {
  const unsigned thread = thread_of(read.tag);
  if (cell.write < moments_.block_first()) {
    pending_.push_back({place, read});
  } else if (moments_.concurrent(cell.write, thread)) {
    listener_.race(place, {cell.write, cell.write_site}, read);
  }
  mark_read(cell, read);
  if (of_byte || cell.other_read < moments_.interval_first()) return;
  if (warp_of_thread(thread_of(cell.read)) != warp_of_thread(thread_of(cell.other_read)) &&
      cell.write >= moments_.block_first()) {
    // Whoever writes now is told apart from one of the two, so further readers do not matter.
    settled_[(place - shared_place) / word_bytes] = moments_.interval_first();
  }
}

void SharedShadow::mark_read(Cell& cell, AccessRecord read) const {
  const Tag interval = moments_.interval_first();
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

void SharedShadow::write(Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                         unsigned bytes) {
  const unsigned thread = thread_of(write.tag);
  const bool atomic = is_atomic(write.site);
  if (atomic && cell.write < moments_.block_first()) pending_.push_back({place, write});
  if (moments_.concurrent(cell.write, thread) && !(atomic && is_atomic(cell.write_site)) &&
      (atomic || is_atomic(cell.write_site) || !same_value(cell, place, write, old, bytes))) {
    listener_.race(place, {cell.write, cell.write_site}, write);
  }
  if (moments_.concurrent(cell.read, thread)) {
    listener_.race(place, {cell.read, cell.read_site}, write);
  } else if (moments_.concurrent(cell.other_read, thread)) {
    listener_.race(place, {cell.other_read, cell.other_read_site}, write);
  }
  cell.write = write.tag;
  cell.write_site = write.site;
  cell.write_old = old;
}

// Two threads that store the same value do no harm. What the one stored is what the other found.
bool SharedShadow::same_value(const Cell& cell, Place place, AccessRecord write, std::uint32_t old,
                              unsigned bytes) const {
  const std::uint32_t final_value = listener_.value(place / bytes * bytes, bytes);
  return listener_.ran_before(cell.write, write.tag) ? old == final_value
                                                     : cell.write_old == final_value;
}

void SharedShadow::split(std::size_t word) {
  if (!split_words_.emplace(word, true).second) return;
  for (std::size_t i = 0; i < word_bytes; ++i) bytes_[word * word_bytes + i] = words_[word];
  settled_[word] = 0;
}

void SharedShadow::access_by_bytes(const Request& request, unsigned lane, Place from,
                                   unsigned count) {
  const AccessRecord access = record_of(request, lane, moments_);
  const std::size_t first = from - shared_place;
  for (std::size_t byte = first; byte < first + count; ++byte) {
    split(byte / word_bytes);
    Cell& cell = bytes_[byte];
    if (request.site.action() == Action::read) {
      read(cell, shared_place + static_cast<Place>(byte), access, true);
    } else {
      write(cell, request.places[lane], access, request.olds[lane], request.site.bytes());
    }
  }
}

void SharedShadow::end_interval() {
  for (const PendingRead& pending : pending_) {
    const std::size_t byte = pending.place - shared_place;
    const std::size_t word = byte / word_bytes;
    const Cell& cell = is_split(word) ? bytes_[byte] : words_[word];
    // Written after all in this interval by another thread: told as a race already, except among
    // atomics, of which the first found nothing to begin with.
    const bool written = !is_atomic(pending.read.site) && cell.write >= moments_.interval_first() &&
                         thread_of(cell.write) != thread_of(pending.read.tag);
    if (!written) listener_.unwritten(pending.place, pending.read);
  }
  pending_.clear();
}

}  // namespace tilewise::simt
