// What BlockWatch says of what it finds.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "common/simt/recorder/code_address.hpp"
#include "common/simt/runtime/block_watch.hpp"
#include "common/simt/runtime/describe.hpp"
#include "common/simt/runtime/findings.hpp"
#include "common/simt/runtime/global_names.hpp"
#include "common/simt/runtime/own_memory.hpp"

namespace tilewise::simt {

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

std::string is_a_host_variable(const std::string& name) {
  return fmt::format(
      "{}, a host variable, which a GPU cannot reach: declare it __device__ or __constant__", name);
}

}  // namespace

void BlockWatch::report_write_to_input(const Request& request) {
  const std::byte* address = address_of(request.first_place());
  const auto range = DeviceMemory::instance().range_at(address);
  report(
      "read-only", request.site.word(), request.warp * 32 + request.first_lane(),
      fmt::format("{} {} {}, but {} is an input: a kernel must leave it as it is",
                  thread_name(request.warp * 32 + request.first_lane()), verb(request.site.word()),
                  element_of(*range, address), range->description->name));
}

void BlockWatch::report_outside(const Request& request, unsigned lane) {
  const Place place = request.places[lane];
  const std::uint32_t site = request.site.word();
  const std::string who = thread_name(request.warp * 32 + lane);
  if (is_shared(place)) {
    const auto named = names_.name_outside(place);
    return report("out-of-bounds", site, request.warp * 32 + lane,
                  named
                      ? fmt::format("{} is outside {} ({} {} it)", named->element, named->array,
                                    who, verb(site))
                      : fmt::format("{} {} shared memory outside of every array", who, verb(site)));
  }
  const std::byte* memory = variables_->memory_of(place);
  if (const std::string host = variables_->host_variable_at(memory); !host.empty()) {
    return report("host-pointer", site, request.warp * 32 + lane,
                  fmt::format("{} {} {}", who, verb(site), is_a_host_variable(host)));
  }
  const auto range = DeviceMemory::instance().nearest_range(address_of(place));
  report("out-of-bounds", site, request.warp * 32 + lane,
         fmt::format("{} {} {}", who, verb(site), outside_of(*range, address_of(place))));
}

void BlockWatch::report_misaligned(const Request& request, unsigned lane) {
  const Place place = request.places[lane];
  const unsigned bytes = request.site.bytes();
  const auto range =
      is_shared(place) ? std::nullopt : DeviceMemory::instance().range_at(address_of(place));
  report("misaligned", request.site.word(), request.warp * 32 + lane,
         fmt::format("{} {} {} bytes at once at {}, an address that {} does not divide",
                     thread_name(request.warp * 32 + lane), verb(request.site.word()), bytes,
                     is_shared(place) ? names_.element(place)
                     : range          ? element_of(*range, address_of(place))
                                      : "an address outside of all buffers",
                     bytes));
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
    Findings::instance().add({.kind = "out-of-bounds",
                              .message = message,
                              .file = pending.fault.file,
                              .line = pending.fault.line,
                              .thread = place_of(pending.thread, block_)},
                             block_);
  }
}

void BlockWatch::report(const char* kind, std::uint32_t site, unsigned thread,
                        std::string message) {
  Findings& findings = Findings::instance();
  if (findings.knows(kind, site, 0, block_)) return;
  const SourceLine line = line_of(site);
  findings.add({.kind = kind,
                .message = std::move(message),
                .file = line.file,
                .line = line.line,
                .thread = place_of(thread, block_)},
               block_, thread / trace_lanes);
}

void BlockWatch::report_race(const char* kind, AccessRecord earlier, AccessRecord later,
                             std::uint32_t block_of_later, std::string message) {
  const SourceLine line = line_of(later.site), other = line_of(earlier.site);
  Findings::instance().add({kind, std::move(message), line.file, line.line, other.file, other.line,
                            place_of(thread_of(later.tag), block_of_later)},
                           block_of_later);
}

SourceLine BlockWatch::line_of(std::uint32_t site) const {
  return source_line(code_address(site, code()));
}

std::string BlockWatch::describe_access(std::uint32_t site) const {
  return fmt::format("{} it on line {}", verb(site), line_of(site).line);
}

ThreadOfGrid BlockWatch::place_of(unsigned thread, std::uint32_t block) const {
  const uint3 of_grid = index_of(block, launch_->grid), of_block = index_of(thread, launch_->block);
  return {{of_grid.x, of_grid.y, of_grid.z}, {of_block.x, of_block.y, of_block.z}};
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
  if (Findings::instance().knows(kind, later.site, earlier.site, block_)) return;
  report_race(kind, earlier, later, block_,
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
  if (Findings::instance().knows(kind, later.access.site, earlier.access.site, later.block)) return;
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  report_race(
      kind, earlier.access, later.access, later.block,
      fmt::format("race on {}: {} and {}, {}",
                  range ? element_of(*range, address_of(place)) : "global memory",
                  actor(earlier.access, earlier.block), actor(later.access, later.block),
                  !one_block ? "and nothing orders two blocks of a grid"
                  : one_warp ? "with neither __syncwarp() nor __syncthreads() between them: "
                               "the lanes of a warp need not run in step"
                             : "with no __syncthreads() between them"));
}

void BlockWatch::unwritten(Place place, AccessRecord read) {
  report("uninitialised", read.site, thread_of(read.tag),
         fmt::format("{} {} shared {}, which no thread has written",
                     thread_name(thread_of(read.tag)), verb(read.site), names_.element(place)));
}

Diagnostic BlockWatch::global_unwritten(Place place, AccessRecord read) {
  const auto range = DeviceMemory::instance().range_at(address_of(place));
  const SourceLine line = line_of(read.site);
  const bool above = range && above_diagonal(*range, address_of(place));
  return {above ? "above-diagonal" : "uninitialised",
          fmt::format("{} {} {}, {}", thread_name(thread_of(read.tag)), verb(read.site),
                      range ? element_of(*range, address_of(place)) : "global memory",
                      above ? "above the diagonal" : "which nothing has written"),
          line.file,
          line.line,
          {},
          0,
          place_of(thread_of(read.tag), block_)};
}

std::optional<BlockWatch::StrayAccess> BlockWatch::fault_in_a_module(std::uintptr_t address,
                                                                     bool reads) const {
  const auto* at = reinterpret_cast<const std::byte*>(address);
  if (reads && (variables_->is_run_times(at) || is_for_all_to_read(address))) return std::nullopt;
  if (const std::string host = variables_->host_variable_at(at); !host.empty()) {
    if (variables_->is_line_count(at) || variables_->leads_to_shared_memory(at)) {
      return std::nullopt;
    }
    return StrayAccess{"host-pointer", is_a_host_variable(host)};
  }
  if (variables_->is_variable_memory(address) && variables_->has_device_variables()) {
    const std::byte* place = address_of(variables_->place_of(address));
    const std::byte* constant = place + variables_->bytes();
    const DeviceMemory& memory = DeviceMemory::instance();
    if (const auto range = memory.range_at(constant)) {
      return StrayAccess{"read-only",
                         fmt::format("{}, but {} is __constant__: a kernel can only read it",
                                     element_of(*range, constant), range->description->name)};
    }
    if (const auto range = memory.nearest_range(place)) {
      return StrayAccess{"out-of-bounds", outside_of(*range, place)};
    }
  }
  return StrayAccess{
      "host-pointer",
      fmt::format("address {}, which is host memory: a kernel can reach only what cudaMalloc gave; "
                  "copy with cudaMemcpy",
                  fmt::ptr(at))};
}

std::optional<BlockWatch::StrayAccess> BlockWatch::fault_elsewhere(const void* address, bool reads,
                                                                   bool on_a_stack) const {
  const auto* at = static_cast<const std::byte*>(address);
  const auto* arguments = static_cast<const std::byte*>(body_.context);
  if (at >= arguments && at < arguments + body_.context_bytes) {
    if (reads) return std::nullopt;
    return StrayAccess{"host-pointer",
                       "an argument of the kernel, which all threads share: copy it first"};
  }
  if (on_a_stack) {
    return StrayAccess{"host-pointer",
                       "a local variable of another thread, which no other can reach: pass its "
                       "value through shared memory"};
  }
  constexpr std::uintptr_t first_page = 4096;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number < first_page) {
    return StrayAccess{"host-pointer",
                       fmt::format("address {}: a null pointer was handed to the kernel, or an "
                                   "offset from one",
                                   fmt::ptr(address))};
  }
  return fault_in_a_module(number, reads);
}

std::optional<BlockWatch::StrayAccess> BlockWatch::fault_in_device_memory(
    const void* address) const {
  const DeviceMemory& memory = DeviceMemory::instance();
  if (memory.was_released(address)) {
    return StrayAccess{"host-pointer", "memory that cudaFree has taken back: the pointer is stale"};
  }
  const auto range = memory.nearest_range(address);
  return StrayAccess{"out-of-bounds",
                     range ? outside_of(*range, static_cast<const std::byte*>(address))
                           : "device memory, of which none is allocated"};
}

std::optional<Diagnostic> BlockWatch::judge_elsewhere(const void* address, std::uint32_t site,
                                                      bool on_a_stack) {
  const std::pair access(site, reinterpret_cast<std::uintptr_t>(address));
  if (harmless_.contains(access)) return std::nullopt;
  const bool reads = Site32(site).action() == Action::read;
  const bool is_global = DeviceMemory::instance().contains(address);
  const auto stray =
      is_global ? fault_in_device_memory(address) : fault_elsewhere(address, reads, on_a_stack);
  const SourceLine line = stray ? line_of(site) : SourceLine{};
  // What the launch's expression captures is read where the launch stands.
  if (!stray || (!is_global && reads && line.line == launch_->line)) {
    constexpr std::size_t many = 4096;
    if (harmless_.size() >= many) harmless_.clear();
    harmless_.insert(access);
    return std::nullopt;
  }
  return Diagnostic{
      .kind = stray->kind,
      .message = fmt::format("{} {} {}", thread_name(running_), verb(site), stray->what),
      .file = line.file,
      .line = line.line,
      .thread = place_of(running_, block_)};
}

}  // namespace tilewise::simt
