#include "common/simt/checked/block_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "common/simt/checked/code_address.hpp"
#include "common/simt/checked/findings.hpp"
#include "common/simt/checked/fold.hpp"
#include "common/simt/checked/own_memory.hpp"
#include "common/simt/checked/source_lines.hpp"
#include "common/simt/include/tilewise/builtin_variables.hpp"
#include "common/simt/runtime/describe.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"

namespace tilewise::simt {

__thread Recorder recorder;

namespace {

uint3 index_of(std::uint32_t number, uint3 extents) {
  return {number % extents.x, number / extents.x % extents.y, number / extents.x / extents.y};
}

const char* verb(std::uint32_t site) {
  switch (Site32(site).action()) {
    case Action::read:
      return "reads";
    case Action::write:
      return "writes";
    default:
      return "updates";
  }
}

const std::byte* address_of(Place place) { return DeviceMemory::instance().base() + place; }

/// "A[37][0]", or "A, byte 148" where the elements are not known.
std::string element_of(const DeviceMemory::Range& range, const std::byte* address) {
  if (range.description == nullptr) {
    return fmt::format("byte {} of an allocation", address - range.start);
  }
  const BufferDescription& buffer = *range.description;
  const std::ptrdiff_t offset = address - range.start;
  if (buffer.element_bytes == 0) return fmt::format("byte {} of {}", offset, buffer.name);
  const auto size = static_cast<std::ptrdiff_t>(buffer.element_bytes);
  const std::ptrdiff_t element = offset / size - (offset % size < 0 ? 1 : 0);
  if (buffer.row_elements == 0 || element < 0) {
    return fmt::format("{}[{}]", buffer.name, element);
  }
  const auto row = static_cast<std::ptrdiff_t>(buffer.row_elements);
  return fmt::format("{}[{}][{}]", buffer.name, element / row, element % row);
}

/// "A (37 x 37)" or "an allocation of 148 bytes".
std::string extent_of(const DeviceMemory::Range& range) {
  if (range.description == nullptr) return fmt::format("an allocation of {} bytes", range.bytes);
  const BufferDescription& buffer = *range.description;
  if (buffer.element_bytes == 0) return fmt::format("{} ({} bytes)", buffer.name, range.bytes);
  const std::size_t elements = range.bytes / buffer.element_bytes;
  if (buffer.row_elements == 0) return fmt::format("{} ({} elements)", buffer.name, elements);
  return fmt::format("{} ({} x {})", buffer.name,
                     (elements + buffer.row_elements - 1) / buffer.row_elements,
                     buffer.row_elements);
}

/// "A[37][0], past the end of A (37 x 37)".
std::string outside_of(const DeviceMemory::Range& range, const std::byte* address) {
  return fmt::format("{}, {} {}", element_of(range, address),
                     address < range.start ? "before the start of" : "past the end of",
                     extent_of(range));
}

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
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  traces_.resize((threads_ + 31) / 32);
  sites_.clear();
  launch_sites_.clear();
  const MemoryRules rules(device::profile());
  patterns_.start(rules);
  merges_ = !rules.half_warps;
  merging_.start(traces_.size());
  partition_bytes_.assign(rules.partitions && !watch.sample ? dram_partitions : 0, 0);
  names_.set_dynamic_bytes(launch.dynamic_shared_bytes);
  if (watch.checks && shadowed_bytes_ < BlockSharedMemory::room_in_use()) {
    shadowed_bytes_ = BlockSharedMemory::room_in_use();
    shared_shadow_.reset(new SharedShadow(shadowed_bytes_, moments_, *this));
  }
  const DeviceMemory& memory = DeviceMemory::instance();
  recorder.shared_base = reinterpret_cast<std::uintptr_t>(shared.base());
  recorder.shared_bytes = BlockSharedMemory::room();
  recorder.device_base = reinterpret_cast<std::uintptr_t>(memory.base());
  recorder.device_bytes = memory.capacity();
  recorder.device_pages = memory.pages();
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
}

void BlockWatch::pass_barrier(std::size_t live_warps) {
  pause_recording();
  end_interval();
  moments_.pass_barrier();
  barriers_ += live_warps;
  go_on_recording();
}

void BlockWatch::pass_warp_operation(unsigned warp, std::uint32_t lanes, bool orders) {
  pause_recording();
  // Lanes outside of the mask may be on their way: what they have done so far is read with the
  // rest, in the order of the code.
  read_trace(warp, 0);
  if (orders) {
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
  traces_[warp].take(warp, waiting, [this](const Request& request) { consume(request); });
}

void BlockWatch::note_for_sample(const Request& request, const Pattern& pattern, SiteState& state) {
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
}

void BlockWatch::count(const Request& request, const Pattern& pattern, SiteState& state) {
  Counters& c = state.counters;
  const unsigned in_warp = std::min(32u, threads_ - request.warp * 32);
  if (static_cast<unsigned>(std::popcount(request.lanes)) < in_warp) ++c.divergent_requests;
  const Action action = request.site.action();
  if (action == Action::atomic) {
    ++c.atomic_requests;
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
  } else {
    const GlobalCost& cost = pattern.global_cost;
    const bool load = action == Action::read;
    (load ? c.global_load_requests : c.global_store_requests) += cost.requests;
    (load ? c.global_load_sectors : c.global_store_sectors) += cost.sectors;
    (load ? c.global_load_transactions : c.global_store_transactions) += cost.transactions;
    (load ? c.global_load_bytes : c.global_store_bytes) += cost.bytes;
    if (!partition_bytes_.empty()) {
      LaneAddresses addresses{request.lanes, request.site.bytes(), load, {}};
      std::copy_n(request.places, 32, addresses.at);
      add_partition_bytes(addresses, partition_bytes_);
    }
  }
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

void BlockWatch::report_write_to_input(const Request& request) {
  const std::byte* address = address_of(request.first_place());
  const auto range = DeviceMemory::instance().range_at(address);
  report(
      "read-only", request.site.word(),
      fmt::format("{} {} {}, but {} is an input: a kernel must leave it as it is",
                  thread_name(request.warp * 32 + request.first_lane()), verb(request.site.word()),
                  element_of(*range, address), range->description->name));
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

void BlockWatch::report_outside(const Request& request, unsigned lane) {
  const Place place = request.places[lane];
  const std::uint32_t site = request.site.word();
  const std::string who = thread_name(request.warp * 32 + lane);
  if (is_shared(place)) {
    const auto named = names_.name_outside(place);
    return report("out-of-bounds", site,
                  named
                      ? fmt::format("{} is outside {} ({} {} it)", named->element, named->array,
                                    who, verb(site))
                      : fmt::format("{} {} shared memory outside of every array", who, verb(site)));
  }
  const auto range = DeviceMemory::instance().nearest_range(address_of(place));
  report("out-of-bounds", site,
         fmt::format("{} {} {}", who, verb(site), outside_of(*range, address_of(place))));
}

void BlockWatch::report_misaligned(const Request& request, unsigned lane) {
  const Place place = request.places[lane];
  const unsigned bytes = request.site.bytes();
  const auto range =
      is_shared(place) ? std::nullopt : DeviceMemory::instance().range_at(address_of(place));
  report("misaligned", request.site.word(),
         fmt::format("{} {} {} bytes at once at {}, an address that {} does not divide",
                     thread_name(request.warp * 32 + lane), verb(request.site.word()), bytes,
                     is_shared(place) ? names_.element(place)
                     : range          ? element_of(*range, address_of(place))
                                      : "an address outside of all buffers",
                     bytes));
}

void BlockWatch::note_fence() { GlobalShadow::instance().note_fence(block_); }

void BlockWatch::note_index_fault(IndexFault fault) {
  pause_recording();
  index_faults_.push_back(
      {std::move(fault), running_, traces_[running_ / 32].count(running_ % 32)});
  go_on_recording();
}

// The compiler checks an index, then evaluates the rest of the expression, then makes the access:
// it is the thread's first access from there on that the index explains.
void BlockWatch::resolve_index_faults() {
  constexpr std::size_t rest_of_expression = 16;
  for (const PendingIndexFault& pending : std::exchange(index_faults_, {})) {
    WarpTrace& trace = traces_[pending.thread / 32];
    const unsigned lane = pending.thread % 32;
    const std::size_t end = std::min(trace.count(lane), pending.row + rest_of_expression);
    std::optional<SharedNames::OutOfBounds> named;
    std::uint32_t site = 0;
    for (std::size_t row = pending.row; row < end && !named; ++row) {
      std::uint32_t& entry = trace.rows().sites[row][lane];
      const Place place = trace.rows().places[row][lane];
      if (entry == 0 || !is_shared(place)) continue;
      named = names_.name(pending.fault, place);
      if (named) site = std::exchange(entry, 0);  // what it hit instead is of no interest
    }
    const std::string who = thread_name(pending.thread);
    const std::string message = named ? fmt::format("{} is outside {} ({} {} it)", named->element,
                                                    named->array, who, verb(site))
                                      : fmt::format("index {} is outside {} ({} uses it)",
                                                    pending.fault.index, pending.fault.type, who);
    Findings::instance().add({"out-of-bounds", message, pending.fault.file, pending.fault.line});
  }
}

void BlockWatch::report(const char* kind, std::uint32_t site, std::string message) {
  Findings& findings = Findings::instance();
  if (findings.knows(kind, site, 0)) return;
  const SourceLine line = line_of(site);
  findings.add({kind, std::move(message), line.file, line.line});
}

void BlockWatch::report_race(const char* kind, AccessRecord earlier, AccessRecord later,
                             std::string message) {
  const SourceLine line = line_of(later.site), other = line_of(earlier.site);
  Findings::instance().add(
      {kind, std::move(message), line.file, line.line, other.file, other.line});
}

SourceLine BlockWatch::line_of(std::uint32_t site) const {
  return source_line(code_address(site, code()));
}

std::string BlockWatch::describe_access(std::uint32_t site) const {
  return fmt::format("{} it on line {}", verb(site), line_of(site).line);
}

std::string BlockWatch::thread_name(unsigned thread) const {
  return fmt::format("{} of {}", describe(index_of(thread, launch_->block)),
                     describe_block(index_of(block_, launch_->grid)));
}

std::string BlockWatch::actor(AccessRecord access, std::uint32_t block) const {
  return fmt::format("{} of {} {}", describe(index_of(thread_of(access.tag), launch_->block)),
                     describe_block(index_of(block, launch_->grid)), describe_access(access.site));
}

void BlockWatch::race(Place place, AccessRecord earlier, AccessRecord later) {
  const bool one_warp = thread_of(earlier.tag) / 32 == thread_of(later.tag) / 32;
  const char* kind = one_warp ? "warp-race" : "race";
  if (Findings::instance().knows(kind, later.site, earlier.site)) return;
  report_race(kind, earlier, later,
              fmt::format("race on shared {}: {} and {}, {}", names_.element(place),
                          actor(earlier, block_), actor(later, block_),
                          one_warp ? "with neither __syncwarp() nor __syncthreads() between them: "
                                     "the lanes of a warp need not run in step"
                                   : "with no __syncthreads() between them"));
}

void BlockWatch::global_race(Place place, GlobalAccess earlier, GlobalAccess later) {
  const bool one_block = earlier.block == later.block;
  const bool one_warp =
      one_block && thread_of(earlier.access.tag) / 32 == thread_of(later.access.tag) / 32;
  const char* kind = one_warp ? "warp-race" : "race";
  if (Findings::instance().knows(kind, later.access.site, earlier.access.site)) return;
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  report_race(
      kind, earlier.access, later.access,
      fmt::format("race on {}: {} and {}, {}",
                  range ? element_of(*range, address_of(place)) : "global memory",
                  actor(earlier.access, earlier.block), actor(later.access, later.block),
                  !one_block ? "and nothing orders two blocks of a grid"
                  : one_warp ? "with neither __syncwarp() nor __syncthreads() between them: "
                               "the lanes of a warp need not run in step"
                             : "with no __syncthreads() between them"));
}

void BlockWatch::unwritten(Place place, AccessRecord read) {
  report("uninitialised", read.site,
         fmt::format("{} {} shared {}, which no thread has written",
                     thread_name(thread_of(read.tag)), verb(read.site), names_.element(place)));
}

Diagnostic BlockWatch::global_unwritten(Place place, AccessRecord read) {
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  const SourceLine line = line_of(read.site);
  return {
      "uninitialised",
      fmt::format("{} {} {}, which nothing has written", thread_name(thread_of(read.tag)),
                  verb(read.site), range ? element_of(*range, address_of(place)) : "global memory"),
      line.file, line.line};
}

std::uint32_t BlockWatch::value(Place place, unsigned bytes) const {
  return fold(shared_->base() + (place - shared_place), bytes);
}

std::uint32_t BlockWatch::global_value(Place place, unsigned bytes) const {
  return fold(address_of(place), bytes);
}

bool BlockWatch::ran_before(Tag first, Tag second) const {
  return std::pair(moment_of(first), (*turns_)[thread_of(first)]) <
         std::pair(moment_of(second), (*turns_)[thread_of(second)]);
}

std::optional<Diagnostic> BlockWatch::judge_elsewhere(const void* address, std::uint32_t site,
                                                      const void* frame) {
  const auto* at = static_cast<const std::byte*>(address);
  const auto* arguments = static_cast<const std::byte*>(body_.context);
  const bool is_argument = at >= arguments && at < arguments + body_.context_bytes;
  if (is_argument || launch_sites_.count(site) != 0 || is_own_memory(address, frame)) {
    return std::nullopt;
  }
  const SourceLine line = line_of(site);
  // What the launch's expression captures is read where the launch stands.
  if (line.line == launch_->line) {
    launch_sites_.insert(site);
    return std::nullopt;
  }
  const DeviceMemory& memory = DeviceMemory::instance();
  const std::string who = fmt::format("{} {}", thread_name(running_), verb(site));
  const auto found = [&](const char* kind, std::string message) {
    return Diagnostic{kind, std::move(message), line.file, line.line};
  };
  if (!memory.contains(address)) {
    constexpr std::uintptr_t first_page = 4096;
    const auto number = reinterpret_cast<std::uintptr_t>(address);
    if (number < first_page) {
      return found("host-pointer",
                   fmt::format("{} address {}: a null pointer was handed to the kernel, or an "
                               "offset from one",
                               who, fmt::ptr(address)));
    }
    return found("host-pointer",
                 fmt::format("{} address {}, which is host memory: a kernel can reach only what "
                             "cudaMalloc gave; copy with cudaMemcpy",
                             who, fmt::ptr(address)));
  }
  if (memory.was_released(address)) {
    return found("host-pointer",
                 fmt::format("{} memory that cudaFree has taken back: the pointer is stale", who));
  }
  const auto range = memory.nearest_range(address);
  return found("out-of-bounds",
               range ? fmt::format("{} {}", who, outside_of(*range, at))
                     : fmt::format("{} device memory, of which none is allocated", who));
}

BlockWatch::Counted BlockWatch::take_counts() {
  Counted counted;
  for (const auto& state : sites_.all()) {
    counted.sites.emplace_back(state->site, std::exchange(state->counters, {}));
  }
  counted.barriers = std::exchange(barriers_, 0);
  counted.partition_bytes = partition_bytes_;
  std::fill(partition_bytes_.begin(), partition_bytes_.end(), 0);
  counted.signature = std::exchange(signature_, 0);
  counted.position = std::exchange(position_, 0);
  return counted;
}

}  // namespace tilewise::simt
