#include "common/simt/checks/block_footprint.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tilewise::simt {

std::uint64_t SectorSet::size() const {
  std::uint64_t sum = 0;
  for (const auto& [key, word] : words_) sum += static_cast<unsigned>(std::popcount(word));
  return sum;
}

std::uint64_t SectorSet::size_of_common(const SectorSet& other) const {
  std::uint64_t sum = 0;
  for (const auto& [key, word] : words_) {
    const auto found = other.words_.find(key);
    if (found != other.words_.end()) {
      sum += static_cast<unsigned>(std::popcount(word & found->second));
    }
  }
  return sum;
}

void SectorSet::clear() {
  words_.clear();
  last_ = nullptr;
}

void CopyIntervals::start_block(std::size_t warps) {
  threads_.assign(32 * warps, Thread());
  warps_.assign(warps, Warp());
  threads_copying_ = 0;
  copies_ = overlaps_ = false;
}

void CopyIntervals::begin(unsigned thread, unsigned batch) {
  Thread& copying = threads_[thread];
  threads_copying_ += copying.begun <= copying.arrived;
  copying.begun = batch + 1;
  copies_ = warps_[thread / 32].copies = true;
}

void CopyIntervals::arrive(unsigned thread, unsigned batches) {
  Thread& waiting = threads_[thread];
  threads_copying_ -= waiting.begun > waiting.arrived && waiting.begun <= batches;
  waiting.arrived = std::max(waiting.arrived, batches);
}

// The warps are processed one after another. A read by one warp may have come before or after a
// copy that another warp began in the same interval.
void CopyIntervals::pass_barrier(BlockFootprint& footprint) {
  const bool reads =
      std::any_of(warps_.begin(), warps_.end(), [](const Warp& warp) { return warp.reads; });
  const bool of_others = std::any_of(warps_.begin(), warps_.end(),
                                     [](const Warp& warp) { return warp.reads && !warp.copies; });
  footprint.reading_intervals += reads;
  footprint.overlapped_intervals +=
      reads && copies_ && (overlaps_ || of_others || threads_copying_ > 0);
  std::fill(warps_.begin(), warps_.end(), Warp());
  copies_ = threads_copying_ > 0;
  overlaps_ = false;
}

void FootprintWriter::start_block(std::size_t warps) {
  footprint_ = {};
  copies_.start_block(warps);
  warps_.assign(warps, Warp());
}

void FootprintWriter::note_global(const Request& request) {
  // An atomic operation both reads and writes.
  const bool reads = request.site.action() != Action::write;
  const bool writes = request.site.action() != Action::read;
  Warp& warp = warps_[request.warp];
  if (reads && warp.loads == Loads::none) warp.loads = Loads::came;
  warp.stored |= writes;
  if (reads) warp.on_their_way += bytes_of(request);
  std::array<Place, 32> touched;
  auto end = touched.begin();
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const Place place = request.places[std::countr_zero(lanes)];
    if (reads) footprint_.loaded.add(place);
    if (writes) footprint_.stored.add(place);
    if (end == touched.begin() || place / 128 != *(end - 1)) *end++ = place / 128;
  }
  std::sort(touched.begin(), end);
  const auto lines =
      static_cast<std::uint64_t>(std::unique(touched.begin(), end) - touched.begin());
  if (reads) footprint_.load_lines += lines;
  if (!writes) return;
  footprint_.store_lines += lines;
  footprint_.store_bytes += bytes_of(request);
}

void FootprintWriter::pass_barrier() {
  copies_.pass_barrier(footprint_);
  for (Warp& warp : warps_) {
    footprint_.load_intervals += warp.loads != Loads::none;
    footprint_.waiting_intervals += warp.loads == Loads::waited_for;
    footprint_.idle_intervals +=
        warp.loads == Loads::waited_for && !warp.reads_shared && warp.on_their_way == 0;
    warp.load_intervals += warp.loads != Loads::none;
    if (warp.stored) {
      if (!warp.has_stored) warp.of_first_round = warp.load_intervals;
      const bool anew = warp.load_intervals > 0 && 2 * warp.load_intervals >= warp.of_first_round;
      footprint_.store_rounds += anew || !warp.has_stored;
      warp.has_stored = true;
      warp.load_intervals = 0;
    }
    warp.loads = Loads::none;
    warp.reads_shared = false;
    warp.stored = false;
  }
}

BlockFootprint FootprintWriter::take() {
  pass_barrier();
  return std::exchange(footprint_, {});
}

}  // namespace tilewise::simt
