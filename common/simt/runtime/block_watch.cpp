#include "common/simt/runtime/block_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/base/language.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/names.hpp"

namespace tilewise::simt {

__thread Recorder recorder;

namespace {

BlockWatch::Maker maker = nullptr;

/// The type in "const char* tilewise::simt::element_name() [with Element = float]" (g++) or
/// "... [Element = float]" (clang).
std::string type_in(std::string_view function) {
  constexpr std::string_view before = "Element = ";
  const std::size_t at = function.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = function.substr(at + before.size());
  return std::string(rest.substr(0, rest.rfind(']')));
}

uint3 index_of(std::uint32_t number, uint3 extents) {
  return {number % extents.x, number / extents.x % extents.y, number / extents.x / extents.y};
}

}  // namespace

bool BlockWatch::make_by(Maker wanted) {
  maker = wanted;
  return true;
}

BlockWatch& BlockWatch::of_this_thread() {
  static thread_local std::unique_ptr<BlockWatch> own;
  if (!own) own = maker();
  return *own;
}

std::span<Observer* const> process_observers() {
  if (maker == nullptr) return {};
  static const BlockWatch* const watch = maker().release();  // outlives static destructors
  return watch->observers();
}

void BlockWatch::start(const Watch& watch, const LaunchConfiguration& launch,
                       const LaunchBody& body, BlockSharedMemory& shared) {
  watch_ = watch;
  launch_ = &launch;
  body_ = body;
  shared_ = &shared;
  variables_ = &ModuleVariables::of(reinterpret_cast<std::uintptr_t>(body.run));
  order_.start_launch(body_);
  threads_ = launch.block.x * launch.block.y * launch.block.z;
  traces_.resize((threads_ + 31) / 32);
  sites_.clear();
  harmless_.fill({});
  patterns_.start(MemoryRules(device::profile()));
  names_.set_dynamic_bytes(launch.dynamic_shared_bytes);
  tell([&](Observer& observer) { observer.start(*this); });
}

void BlockWatch::finish() {
  tell([](Observer& observer) { observer.finish(); });
}

void BlockWatch::start_block(std::uint32_t block, const std::vector<std::uint16_t>& turns) {
  constexpr std::size_t many_patterns = 1 << 14;
  if (patterns_.size() > many_patterns) {
    for (const auto& site : sites_.all()) site->recent = {};
    patterns_.start(MemoryRules(device::profile()));
  }
  block_ = block;
  turns_ = &turns;
  for (WarpTrace& trace : traces_) trace.start();
  index_faults_.clear();
  index_faults_noted_ = 0;
  copies_.clear();
  const bool tags_anew = moments_.start_block(traces_.size());
  tell([&](Observer& observer) { observer.start_block(tags_anew); });
  choose_listeners();
  running_ = 0;
  go_on_recording();
}

void BlockWatch::finish_block() {
  pause_recording();
  end_interval();
  tell([](Observer& observer) { observer.finish_block(); });
}

void BlockWatch::end_interval() {
  for (unsigned warp = 0; warp < traces_.size(); ++warp) read_trace(warp, 0);
  tell([](Observer& observer) { observer.end_interval(); });
}

void BlockWatch::pass_barrier(std::size_t live_warps) {
  pause_recording();
  end_interval();
  moments_.pass_barrier();
  tell([&](Observer& observer) { observer.barrier(live_warps); });
  go_on_recording();
}

void BlockWatch::pass_warp_operation(unsigned warp, std::uint32_t lanes, WarpOperation operation) {
  pause_recording();
  // Lanes outside the mask may still be on their way. What they have done so far is read together
  // with the rest, in the order of the code.
  read_trace(warp, 0);
  // Shuffles and votes exchange values, but do not order accesses to memory (Programming Guide).
  if (operation == WarpOperation::barrier) moments_.sync_lanes(warp, lanes);
  tell([&](Observer& observer) { observer.warp_operation(warp, operation); });
  go_on_recording();
}

void BlockWatch::note_product(const WarpProduct& product) {
  tell([&](Observer& observer) { observer.product(product); });
}

void BlockWatch::read_traces_of_stalled_block(const std::vector<unsigned>& waiting) {
  pause_recording();
  std::vector<std::uint32_t> lanes(traces_.size(), 0);
  for (const unsigned thread : waiting) lanes[thread / 32] |= 1u << thread % 32;
  for (unsigned warp = 0; warp < traces_.size(); ++warp) {
    if (lanes[warp] != 0) read_trace(warp, lanes[warp]);
  }
  tell([](Observer& observer) { observer.stalled(); });
  go_on_recording();
}

void BlockWatch::read_trace(unsigned warp, std::uint32_t waiting) {
  if (!index_faults_.empty()) resolve_index_faults();
  tell_accesses(warp, waiting);
}

Place BlockWatch::place_of(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at - recorder.shared_base < recorder.shared_bytes) {
    return shared_place + static_cast<Place>(at - recorder.shared_base);
  }
  if (variables_->is_variable_memory(at)) return variables_->place_of(at);
  return static_cast<Place>(at - recorder.device_base);
}

std::uint32_t BlockWatch::keep(const BegunCopy& copy) {
  pause_recording();
  copies_.push_back(copy);
  go_on_recording();
  return static_cast<std::uint32_t>(copies_.size() - 1);
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

std::optional<Finding> BlockWatch::judge(const AccessElsewhere& access) {
  for (Observer* observer : observers_) {
    if (auto fault = observer->access_elsewhere(access)) return fault;
  }
  const Harmless harmless{access.address, access.site};
  harmless_[slot_of(harmless)] = harmless;
  return std::nullopt;
}

bool BlockWatch::find_range(Place place, SiteState& site) const {
  if (is_shared(place)) {
    std::size_t begin = 0, end = 0;
    if (!shared_->find(place - shared_place, begin, end)) return false;
    site.begin = shared_place + static_cast<Place>(begin);
    site.end = shared_place + static_cast<Place>(end);
    return true;
  }
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  if (!range) return false;
  site.begin = static_cast<Place>(range->start - DeviceMemory::instance().base());
  site.end = site.begin + static_cast<Place>(range->bytes);
  site.read_only = range->description != nullptr && range->description->read_only;
  return true;
}

void BlockWatch::note_fence() {
  pause_recording();
  tell([](Observer& observer) { observer.fence(); });
  go_on_recording();
}

void BlockWatch::note_index_fault(IndexFault fault) {
  pause_recording();
  ++index_faults_noted_;
  index_faults_.push_back(
      {std::move(fault), running_, traces_[running_ / 32].count(running_ % 32)});
  go_on_recording();
}

void BlockWatch::note_private_access(const DeclaredVariable& variable, std::uint32_t site,
                                     std::optional<std::ptrdiff_t> offset) {
  pause_recording();
  // The fault is already reported by the index that leads out of the array.
  const auto is_told = [&](const PendingIndexFault& pending) {
    return pending.thread == running_ && pending.fault.line == line_of(site).line;
  };
  if (!offset || std::ranges::none_of(index_faults_, is_told)) {
    tell([&](Observer& observer) { observer.private_access({variable, site, running_, offset}); });
  }
  go_on_recording();
}

void BlockWatch::note_shared_array(Place start, const char* name, const char* element_function,
                                   std::size_t element_bytes, std::size_t alignment,
                                   std::span<const std::size_t> extents) {
  if (watch_.trace) tell([&](Observer& observer) { observer.shared_array(start); });
  if (names_.knows(start, name, element_function, alignment)) return;
  pause_recording();
  names_.note(start, name, element_function, alignment);
  names_.add(start, name, type_in(element_function), element_bytes, alignment,
             {extents.begin(), extents.end()});
  go_on_recording();
}

// The compiler checks an index, then evaluates the rest of the expression, then makes the access.
// The index therefore explains the thread's first matching access from there on.
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
      if (named) site = std::exchange(entry, 0);  // what it hit instead does not matter
    }
    tell([&](Observer& observer) {
      observer.index_outside({pending.fault, pending.thread, site, named});
    });
  }
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

SourceLine BlockWatch::line_of(std::uint32_t site) const {
  return source_line(code_address(site, reinterpret_cast<std::uintptr_t>(body_.run)));
}

ThreadOfGrid BlockWatch::place_of(unsigned thread, std::uint32_t block) const {
  const uint3 of_grid = index_of(block, launch_->grid), of_block = index_of(thread, launch_->block);
  return {{of_grid.x, of_grid.y, of_grid.z}, {of_block.x, of_block.y, of_block.z}};
}

std::string BlockWatch::name_of(unsigned thread, std::uint32_t block) const {
  return tr("{} of {}", describe(index_of(thread, launch_->block)),
            describe_block(index_of(block, launch_->grid)));
}

std::string BlockWatch::element_at(Place place) const {
  if (is_shared(place)) return names_.element(place);
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  return range ? element_of(*range, address_of(place)) : tr("global memory");
}

std::string BlockWatch::array_of(Place place) const {
  const std::string element = element_at(place);
  const std::string name = element.substr(0, element.find('['));
  return name.find(' ') == std::string::npos ? name : "";
}

void BlockWatch::report(const char* kind, std::uint32_t site, unsigned thread,
                        const std::function<Words()>& words) const {
  Findings& findings = Findings::instance();
  if (findings.knows(kind, site, 0, block_)) return;
  const SourceLine line = line_of(site);
  Words told = words();
  findings.add({.kind = kind,
                .message = std::move(told.message),
                .file = line.file,
                .line = line.line,
                .place = place_of(thread),
                .array = std::move(told.array),
                .bracket = told.bracket},
               block_, thread / trace_lanes);
}

std::string BlockWatch::actor(GridAccess access) const {
  const std::uint32_t site = access.access.site;
  return tr("{} {} it on line {}", name_of(thread_of(access.access.tag), access.block), verb(site),
            line_of(site).line);
}

void BlockWatch::report_race(Place place, GridAccess earlier, GridAccess later,
                             const std::string& note) const {
  // Which of two blocks came first depends on the system's threads. A race is reported the same way
  // however they ran: a writer comes before a reader, otherwise the lower block comes first.
  const auto rank = [](const GridAccess& of) {
    return std::pair(Site32(of.access.site).action() == Action::read, of.block);
  };
  if (rank(later) < rank(earlier) && earlier.block != later.block) std::swap(earlier, later);
  const std::uint32_t higher_block = std::max(earlier.block, later.block);
  const unsigned thread = thread_of(later.access.tag), other = thread_of(earlier.access.tag);
  const bool one_block = earlier.block == later.block;
  const bool one_warp = one_block && warp_of_thread(thread) == warp_of_thread(other);
  const char* kind = one_warp ? "warp-race" : "race";
  Findings& findings = Findings::instance();
  if (findings.knows(kind, later.access.site, earlier.access.site, higher_block)) return;
  const SourceLine line = line_of(later.access.site), other_line = line_of(earlier.access.site);
  const std::string why =
      !one_block ? tr("and nothing orders two blocks of a grid")
      : one_warp ? tr("with neither __syncwarp() nor __syncthreads() between them: the lanes of a "
                      "warp need not run in step")
                 : tr("with no __syncthreads() between them");
  findings.add(
      {.kind = kind,
       .message = (is_shared(place) ? tr("race on shared {}: {} and {}, {}", element_at(place),
                                         actor(earlier), actor(later), why)
                                    : tr("race on {}: {} and {}, {}", element_at(place),
                                         actor(earlier), actor(later), why)) +
                  note,
       .file = line.file,
       .line = line.line,
       .other_file = other_line.file,
       .other_line = other_line.line,
       .place = place_of(thread, later.block),
       .array = array_of(place)},
      higher_block);
}

}  // namespace tilewise::simt
