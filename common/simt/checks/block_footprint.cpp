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

void FootprintWriter::start_block(std::size_t warps) {
  footprint_ = {};
  warps_.assign(warps, Warp::idle);
}

void FootprintWriter::note(const Request& request, const Pattern& pattern) {
  // An atomic operation brings a value and leaves one.
  const bool reads = request.site.action() != Action::write;
  const bool writes = request.site.action() != Action::read;
  Warp& warp = warps_[request.warp];
  if (pattern.shared) {
    if (writes && warp == Warp::loaded) warp = Warp::stored_after_load;
    return;
  }
  if (reads && warp == Warp::idle) warp = Warp::loaded;
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
  if (writes) footprint_.store_lines += lines;
}

void FootprintWriter::pass_barrier() {
  for (Warp& warp : warps_) {
    footprint_.load_intervals += warp != Warp::idle;
    footprint_.waiting_intervals += warp == Warp::stored_after_load;
    warp = Warp::idle;
  }
}

BlockFootprint FootprintWriter::take() {
  pass_barrier();
  return std::exchange(footprint_, {});
}

}  // namespace tilewise::simt
