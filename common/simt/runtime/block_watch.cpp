#include "common/simt/runtime/block_watch.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/include/tilewise/builtin_variables.hpp"
#include "common/simt/recorder/fold.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/global_names.hpp"

namespace tilewise::simt {

__thread Recorder recorder;

namespace {

/// Lanes that touch the other kind of memory than the first lane.
std::uint32_t lanes_elsewhere(const Request& request) {
  std::uint32_t elsewhere = 0;
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    const bool other = is_shared(request.places[lane]) != is_shared(request.first_place());
    elsewhere |= (other ? 1u : 0u) << lane;
  }
  return elsewhere;
}

}  // namespace

BlockWatch& BlockWatch::of_this_thread() {
  static thread_local std::unique_ptr<BlockWatch> own;
  if (!own) own.reset(new BlockWatch);
  return *own;
}

void BlockWatch::start_launch(const Watch& watch, const LaunchConfiguration& launch,
                              const LaunchBody& body, const BlockSharedMemory& shared) {
  watch_ = watch;
  launch_ = &launch;
  body_ = body;
  shared_ = &shared;
  variables_ = &ModuleVariables::of(code());
  order_.start_launch(body_);
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  traces_.resize((threads_ + 31) / 32);
  sites_.clear();
  harmless_.clear();
  const MemoryRules rules(device::profile());
  patterns_.start(rules);
  merges_ = !rules.half_warps;
  merging_.start(traces_.size());
  partition_bytes_.reset();
  if (rules.partitions && watch.counters && !watch.sample) partition_bytes_.emplace();
  names_.set_dynamic_bytes(launch.dynamic_shared_bytes);
  tracer_.start_launch(watch.trace, launch.grid);
  if (watch.checks && shadowed_bytes_ < BlockSharedMemory::room_in_use()) {
    shadowed_bytes_ = BlockSharedMemory::room_in_use();
    shared_shadow_.reset(new SharedShadow(shadowed_bytes_, moments_, *this));
  }
}

void BlockWatch::start_block(std::uint32_t block, const std::vector<std::uint16_t>& turns) {
  constexpr std::size_t many_patterns = 1 << 14;
  if (patterns_.size() > many_patterns) {
    for (const auto& state : sites_.all()) state->recent = {};
    patterns_.start(MemoryRules(device::profile()));
  }
  ++blocks_started_;
  block_ = block;
  turns_ = &turns;
  for (WarpTrace& trace : traces_) trace.start();
  index_faults_.clear();
  const bool forget = moments_.start_block(traces_.size());
  if (watch_.checks) shared_shadow_->start_block(forget);
  if (watch_.sample) footprint_.start_block(traces_.size());
  tracer_.start_block(block);
  running_ = 0;
  go_on_recording();
}

void BlockWatch::finish_block() {
  pause_recording();
  end_interval();
}

void BlockWatch::end_interval() {
  for (unsigned warp = 0; warp < traces_.size(); ++warp) read_trace(warp, 0);
  merging_.flush();
  if (watch_.checks) shared_shadow_->end_interval();
  if (tracer_.traces()) tracer_.end_interval(shared_->base());
}

void BlockWatch::pass_barrier(std::size_t live_warps) {
  pause_recording();
  end_interval();
  moments_.pass_barrier();
  if (watch_.sample) footprint_.pass_barrier();
  barriers_ += live_warps;
  go_on_recording();
}

void BlockWatch::pass_warp_operation(unsigned warp, std::uint32_t lanes, WarpOperation operation) {
  pause_recording();
  // Lanes outside of the mask may be on their way: what they have done so far is read with the
  // rest, in the order of the code.
  read_trace(warp, 0);
  if (operation == WarpOperation::shuffle) ++shuffles_;
  // Shuffles and votes exchange values, but order no accesses to memory (Programming Guide).
  if (operation == WarpOperation::barrier) {
    moments_.sync_lanes(warp, lanes);
    merging_.separate(warp);
  }
  go_on_recording();
}

void BlockWatch::read_traces_of_stalled_block(const std::vector<unsigned>& waiting) {
  pause_recording();
  std::vector<std::uint32_t> lanes(traces_.size(), 0);
  for (const unsigned thread : waiting) lanes[thread / 32] |= 1u << thread % 32;
  for (unsigned warp = 0; warp < traces_.size(); ++warp) {
    if (lanes[warp] != 0) read_trace(warp, lanes[warp]);
  }
  merging_.flush();
  go_on_recording();
}

void BlockWatch::read_trace(unsigned warp, std::uint32_t waiting) {
  if (!index_faults_.empty()) resolve_index_faults();
  traces_[warp].take(order_, warp, waiting, [this](const Request& request) { consume(request); });
}

bool BlockWatch::record_variable(const void* address, std::uint32_t site) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (!variables_->is_variable_memory(at)) return false;
  using Page = ModuleVariables::Page;
  Page page = variables_->pages()[(at - variables_->base()) >> ModuleVariables::page_bits];
  if (page == Page::mixed) page = variables_->kind_of(at);
  const Action action = Site32(site).action();
  if (page == Page::host || (page == Page::constant && action != Action::read)) return false;
  std::uint32_t* slot = recorder.next;
  constexpr std::size_t array = (trace_rows + 1) * trace_lanes;
  slot[0] = site;
  slot[array] = variables_->place_of(at) +
                (page == Page::constant ? static_cast<Place>(variables_->bytes()) : 0);
  if (action == Action::write) slot[2 * array] = fold(address, Site32(site).bytes());
  recorder.next = slot + trace_lanes;
  if (recorder.next >= recorder.end) make_room_in_trace();
  return true;
}

void BlockWatch::note_for_sample(const Request& request, const Pattern& pattern, SiteState& state) {
  if (is_constant(request)) return;
  footprint_.note(request, pattern);
  constexpr std::uint64_t odd = 0x9E3779B97F4A7C15ull;  // 2^64 over the golden ratio
  signature_ = std::rotl((signature_ ^ pattern.hash ^ request.site.word()) * odd, 17);
  if (pattern.shared || state.last_block == blocks_started_) return;
  state.last_block = blocks_started_;
  // Another odd factor for each site, so that two sites which move against each other show.
  position_ += (request.site.word() * odd | 1) * request.first_place();
}

void BlockWatch::consume(const Request& request) {
  if (request.site.action() == Action::none) return;  // a mark, not an access
  SiteState& state = sites_.at(request.site.word());
  const Pattern* known = patterns_.recall(request, state.recent);
  if (known == nullptr) {
    if (const std::uint32_t elsewhere = lanes_elsewhere(request); elsewhere != 0) {
      Request one = request, other = request;
      one.lanes &= ~elsewhere;
      other.lanes = elsewhere;
      consume(one);
      return consume(other);
    }
    known = &patterns_.find(request, state.recent);
  }
  const Pattern& pattern = *known;
  if (watch_.counters) count(request, pattern, state);
  if (watch_.sample) note_for_sample(request, pattern, state);
  if (watch_.checks) check(request, pattern, state);
  if (tracer_.traces()) tracer_.add(request, pattern);
}

void BlockWatch::count(const Request& request, const Pattern& pattern, SiteState& state) {
  Counters& c = state.counters;
  const unsigned in_warp = std::min(32u, threads_ - request.warp * 32);
  if (static_cast<unsigned>(std::popcount(request.lanes)) < in_warp) ++c.divergent_requests;
  const Action action = request.site.action();
  if (action == Action::atomic) {
    count_atomic(request, pattern, c);
  } else if (pattern.shared) {
    const SharedCost& cost = pattern.shared_cost;
    (action == Action::read ? c.shared_load_requests : c.shared_store_requests) += cost.requests;
    (action == Action::read ? c.shared_load_wavefronts : c.shared_store_wavefronts) +=
        cost.wavefronts;
    c.shared_bank_conflicts += cost.conflicts;
    if (action == Action::write) {
      merging_.separate(request.warp);
    } else if (merges_) {
      merging_.add(request.warp, request.first_place(), pattern, state);
    } else {
      c.shared_load_requests_merged += cost.requests;
      c.shared_load_wavefronts_merged += cost.wavefronts;
    }
  } else if (is_constant(request)) {
    ++c.constant_requests;
    c.constant_passes += pattern.distinct;
  } else {
    const GlobalCost& cost = pattern.global_cost;
    const bool load = action == Action::read;
    (load ? c.global_load_requests : c.global_store_requests) += cost.requests;
    (load ? c.global_load_sectors : c.global_store_sectors) += cost.sectors;
    (load ? c.global_load_transactions : c.global_store_transactions) += cost.transactions;
    (load ? c.global_load_bytes : c.global_store_bytes) += cost.bytes;
    (load ? c.global_load_lane_bytes : c.global_store_lane_bytes) +=
        static_cast<unsigned>(std::popcount(request.lanes)) * request.site.bytes();
    if (partition_bytes_) count_partition_bytes(request);
  }
}

void BlockWatch::count_atomic(const Request& request, const Pattern& pattern, Counters& c) {
  ++c.atomic_requests;
  if (pattern.shared) {
    const SharedCost& cost = pattern.shared_cost;
    c.shared_atomic_requests += cost.requests;
    c.shared_atomic_wavefronts += cost.wavefronts;
    c.shared_bank_conflicts += cost.conflicts;
    merging_.separate(request.warp);
    return;
  }
  const GlobalCost& cost = pattern.global_cost;
  c.global_atomic_requests += cost.requests;
  c.global_atomic_sectors += cost.sectors;
  c.global_atomic_transactions += cost.transactions;
  c.global_atomic_bytes += cost.bytes;
  c.global_atomic_lane_bytes +=
      static_cast<unsigned>(std::popcount(request.lanes)) * request.site.bytes();
  c.global_atomic_passes += pattern.most_alike;
  if (partition_bytes_) count_partition_bytes(request);
}

void BlockWatch::count_partition_bytes(const Request& request) {
  const Action action = request.site.action();
  LaneAddresses addresses{request.lanes, request.site.bytes(), action == Action::read, {}};
  std::copy_n(request.places, 32, addresses.at);
  if (action != Action::write) add_partition_bytes(addresses, partition_bytes_->loads);
  if (action != Action::read) add_partition_bytes(addresses, partition_bytes_->stores);
}

bool BlockWatch::find_range(Place place, SiteState& state) const {
  if (is_shared(place)) {
    std::size_t begin = 0, end = 0;
    if (!shared_->find(place - shared_place, begin, end)) return false;
    state.begin = shared_place + static_cast<Place>(begin);
    state.end = shared_place + static_cast<Place>(end);
    return true;
  }
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  if (!range) return false;
  state.begin = static_cast<Place>(range->start - DeviceMemory::instance().base());
  state.end = state.begin + static_cast<Place>(range->bytes);
  state.read_only = range->description != nullptr && range->description->read_only;
  return true;
}

bool BlockWatch::inside(const Request& request, const Pattern& pattern, SiteState& state) {
  const std::int64_t first = request.first_place();
  const auto fits = [&] {
    return first + pattern.lowest >= state.begin && first + pattern.highest <= state.end;
  };
  return fits() || (find_range(request.first_place(), state) && fits());
}

void BlockWatch::check(const Request& request, const Pattern& pattern, SiteState& state) {
  if (pattern.misaligned || !inside(request, pattern, state)) return check_lane_by_lane(request);
  if (pattern.shared) return shared_shadow_->access(request, pattern);
  const bool writes = request.site.action() != Action::read;
  if (state.read_only && writes) report_write_to_input(request);
  // What is an input is written by nobody, or that is told.
  GlobalShadow::instance().access(request, pattern, state.read_only, block_, moments_, *this);
}

// The lanes whose accesses are sound are checked as if they were alone.
void BlockWatch::check_lane_by_lane(const Request& request) {
  for (std::uint32_t lanes = request.lanes; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
    Request alone = request;
    alone.lanes = 1u << lane;
    if (request.places[lane] % request.site.bytes() != 0) {
      report_misaligned(request, lane);
      continue;
    }
    Patterns::Recent unused{};
    SiteState state;
    const Pattern& pattern = patterns_.find(alone, unused);
    if (inside(alone, pattern, state)) {
      check(alone, pattern, state);
    } else {
      report_outside(request, lane);
    }
  }
}

void BlockWatch::note_fence() { GlobalShadow::instance().note_fence(block_); }

void BlockWatch::note_index_fault(IndexFault fault) {
  pause_recording();
  index_faults_.push_back(
      {std::move(fault), running_, traces_[running_ / 32].count(running_ % 32)});
  go_on_recording();
}

std::uint32_t BlockWatch::value(Place place, unsigned bytes) const {
  return fold(
      is_shared(place) ? shared_->base() + (place - shared_place) : variables_->memory_of(place),
      bytes);
}

bool BlockWatch::ran_before(Tag first, Tag second) const {
  return std::pair(moment_of(first), (*turns_)[thread_of(first)]) <
         std::pair(moment_of(second), (*turns_)[thread_of(second)]);
}

BlockWatch::Counted BlockWatch::take_counts() {
  Counted counted;
  for (const auto& state : sites_.all()) {
    counted.sites.emplace_back(state->site, std::exchange(state->counters, {}));
  }
  counted.barriers = std::exchange(barriers_, 0);
  counted.shuffles = std::exchange(shuffles_, 0);
  counted.signature = std::exchange(signature_, 0);
  counted.position = std::exchange(position_, 0);
  if (watch_.sample) counted.footprint = footprint_.take();
  return counted;
}

std::optional<PartitionBytes> BlockWatch::take_partition_bytes() {
  auto moved = partition_bytes_;
  if (moved) partition_bytes_.emplace();
  return moved;
}

}  // namespace tilewise::simt
