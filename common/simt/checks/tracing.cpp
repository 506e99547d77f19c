#include "common/simt/checks/tracing.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "common/simt/runtime/block_watch.hpp"

namespace tilewise::simt {

namespace {

/// The trace of the launch that is running.
struct LaunchTrace {
  std::mutex mutex;
  KernelTrace trace;
};

LaunchTrace& launch_trace() {
  static auto* trace = new LaunchTrace;  // outlives static destructors that use it
  return *trace;
}

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

/// Returns the number of whole words that an access touches, from the word in which it begins.
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

void Tracing::begin_launch(const Watch&, const LaunchConfiguration&) { launch_trace().trace = {}; }

void Tracing::start(const BlockWatch& block) {
  Observer::start(block);
  chosen_.clear();
  arrays_.clear();
  sees_accesses_ = false;
  if (!block.watch().trace) return;
  chosen_ = blocks_to_trace(block.launch().grid);
  most_ = most_traced_accesses / chosen_.size();
}

void Tracing::start_block(bool) {
  sees_accesses_ = chosen_.contains(block().number());
  kept_ = 0;
  first_open_ = 0;
  trace_ = {};
  trace_.number = block().number();
}

void Tracing::access(const Access& access) {
  const Request& request = access.request;
  const Pattern& pattern = access.pattern;
  const std::size_t lanes = access.lanes();
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

void Tracing::shared_array(Place start) {
  if (!sees_accesses_ || std::ranges::find(arrays_, start) != arrays_.end()) return;
  arrays_.push_back(start);
}

void Tracing::end_interval() {
  if (!sees_accesses_) return;
  const std::byte* const shared = block().shared_memory().base();
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

void Tracing::finish_block() {
  if (!sees_accesses_) return;
  LaunchTrace& launch = launch_trace();
  const std::lock_guard lock(launch.mutex);
  launch.trace.blocks.push_back(std::exchange(trace_, {}));
  for (const Place start : arrays_) {
    TracedArray array = block().names().array_at(start);
    const auto same = [&](const TracedArray& other) { return other.start == array.start; };
    if (std::ranges::none_of(launch.trace.arrays, same)) {
      launch.trace.arrays.push_back(std::move(array));
    }
  }
}

void Tracing::end_launch(const LaunchResults& results) {
  if (results.trace == nullptr) return;
  KernelTrace& trace = *results.trace = std::exchange(launch_trace().trace, {});
  std::ranges::sort(trace.blocks, {}, &BlockTrace::number);
  std::ranges::sort(trace.arrays, {}, &TracedArray::start);
  // Sites are numbered in the order of the code, so that their numbers are the same in every run.
  const auto place = [&](std::uint32_t site) {
    return std::pair(code_address(site, results.code), site);
  };
  std::map<std::pair<std::uintptr_t, std::uint32_t>, std::uint32_t> numbers;
  for (const BlockTrace& block : trace.blocks) {
    for (const TracedRequest& request : block.requests) numbers[place(request.site)] = 0;
  }
  for (auto& [site, number] : numbers) {
    number = static_cast<std::uint32_t>(trace.sites.size());
    const SourceLine line = source_line(site.first);
    trace.sites.push_back({line.file, line.line});
  }
  for (BlockTrace& block : trace.blocks) {
    for (TracedRequest& request : block.requests) request.site = numbers.at(place(request.site));
  }
}

}  // namespace tilewise::simt
