#include "common/simt/checks/block_tracer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tilewise::simt {

namespace {

TracedRequest::Action traced(Action action) {
  switch (action) {
    case Action::write:
      return TracedRequest::Action::store;
    case Action::atomic:
      return TracedRequest::Action::atomic;
    default:
      return TracedRequest::Action::load;
  }
}

std::set<unsigned> first_next_and_last(unsigned extent) {
  return {0, std::min(1u, extent - 1), extent - 1};
}

/// Whole words that an access touches, from the one it begins in.
std::size_t words_of(std::uint32_t bytes) { return std::max<std::size_t>(1, bytes / 4); }

}  // namespace

std::set<std::uint64_t> blocks_to_trace(dim3 grid) {
  std::set<std::uint64_t> chosen;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  if (blocks <= most_traced_blocks) {
    for (std::uint64_t block = 0; block < blocks; ++block) chosen.insert(block);
    return chosen;
  }
  for (const unsigned y : first_next_and_last(grid.y)) {
    for (const unsigned x : first_next_and_last(grid.x)) {
      chosen.insert(std::uint64_t{y} * grid.x + x);
    }
  }
  return chosen;
}

void BlockTracer::start_launch(bool wanted, dim3 grid) {
  chosen_.clear();
  arrays_.clear();
  traces_ = false;
  if (!wanted) return;
  chosen_ = blocks_to_trace(grid);
  most_ = most_traced_accesses / chosen_.size();
}

void BlockTracer::start_block(std::uint64_t number) {
  traces_ = chosen_.contains(number);
  kept_ = 0;
  first_open_ = 0;
  trace_ = {};
  trace_.number = number;
}

void BlockTracer::add(const Request& request, const Pattern& pattern) {
  const auto lanes = static_cast<std::size_t>(std::popcount(request.lanes));
  if (trace_.cut || kept_ + lanes > most_) {
    trace_.cut = true;
    return;
  }
  kept_ += lanes;
  TracedRequest& kept = trace_.requests.emplace_back();
  kept.action = traced(request.site.action());
  kept.shared = pattern.shared;
  kept.interval = trace_.intervals;
  kept.warp = request.warp;
  kept.site = request.site.word();
  kept.bytes = request.site.bytes();
  kept.lanes = request.lanes;
  for (std::uint32_t left = request.lanes; left != 0; left &= left - 1) {
    const Place place = request.places[std::countr_zero(left)];
    kept.at.push_back(pattern.shared ? place - shared_place : place);
  }
  kept.cost = pattern.shared ? pattern.shared_cost.wavefronts : pattern.global_cost.sectors;
  kept.detail = pattern.shared ? pattern.shared_cost.conflicts : pattern.global_cost.bytes;
}

void BlockTracer::end_interval(const std::byte* shared) {
  for (; first_open_ < trace_.requests.size(); ++first_open_) {
    TracedRequest& request = trace_.requests[first_open_];
    if (!request.shared || request.action == TracedRequest::Action::load) continue;
    const std::size_t words = words_of(request.bytes);
    for (const std::uint32_t at : request.at) {
      for (std::size_t i = 0; i < words; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, shared + (at & ~3u) + 4 * i, sizeof word);
        request.words.push_back(word);
      }
    }
  }
  ++trace_.intervals;
}

void BlockTracer::note_array(Place start) {
  if (std::ranges::find(arrays_, start) == arrays_.end()) arrays_.push_back(start);
}

BlockTrace BlockTracer::take() {
  traces_ = false;
  return std::exchange(trace_, {});
}

std::vector<TracedArray> BlockTracer::arrays(const SharedNames& names) const {
  std::vector<TracedArray> found;
  for (const Place start : arrays_) found.push_back(names.array_at(start));
  return found;
}

}  // namespace tilewise::simt
