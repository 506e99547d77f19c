#include "common/simt/checks/bounds.hpp"

#include <fmt/format.h>

#include <cstring>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/names.hpp"

namespace tilewise::simt {

namespace {

std::string is_a_host_variable(const std::string& name) {
  return tr("{}, a host variable, which a GPU cannot reach: declare it __device__ or __constant__",
            name);
}

/// Whether an address is one of the built-in variables, or lies in read-only memory of a loaded
/// module, which holds literals, tables, and what they are made from.
bool is_for_all_to_read(std::uintptr_t address) {
  for (const uint3* variable : {&threadIdx, &blockIdx, &blockDim, &gridDim}) {
    if (address - reinterpret_cast<std::uintptr_t>(variable) < sizeof *variable) return true;
  }
  return is_read_only_in_a_module(address);
}

/// Whether an index of 32 bits can lead there from an array in device memory.
bool is_beside_device_memory(std::uintptr_t address) {
  constexpr std::uintptr_t farthest = std::uintptr_t{8} << 31;  // an index into an array of double
  const auto base = reinterpret_cast<std::uintptr_t>(DeviceMemory::instance().base());
  return address + farthest >= base && address < base + farthest;
}

}  // namespace

void Bounds::global_access(const Access& access) {
  if (access.site.read_only && access.writes()) report_write_to_input(access.request);
}

void Bounds::report_write_to_input(const Request& request) const {
  const unsigned thread = request.warp * 32 + request.first_lane();
  block().report("read-only", request.site.word(), thread, [&]() -> BlockWatch::Words {
    const std::byte* address = address_of(request.first_place());
    const auto range = DeviceMemory::instance().range_at(address);
    return {tr("{} {} {}, but {} is an input: a kernel must leave it as it is",
               block().name_of(thread), verb(request.site.word()), element_of(*range, address),
               range->description->name)};
  });
}

void Bounds::stray_lane(const StrayLane& lane) {
  if (lane.misaligned) return report_misaligned(lane);
  const bool is_of_host = !is_shared(lane.place()) && !host_variable_at(lane.place()).empty();
  block().report(is_of_host ? "host-pointer" : "out-of-bounds", lane.request.site.word(),
                 lane.thread(), [&] {
                   return is_shared(lane.place()) ? words_of_stray_in_shared_memory(lane)
                                                  : words_of_stray(lane);
                 });
}

std::string Bounds::host_variable_at(Place place) const {
  const ModuleVariables& variables = block().variables();
  return variables.host_variable_at(variables.memory_of(place));
}

BlockWatch::Words Bounds::words_of_stray_in_shared_memory(const StrayLane& lane) const {
  const std::string who = block().name_of(lane.thread()), does = verb(lane.request.site.word());
  const auto named = block().names().name_outside(lane.place());
  if (!named) return {tr("{} {} shared memory outside of every array", who, does)};
  // For an array without bounds, the launch determines the size.
  const std::size_t given = block().launch().dynamic_shared_bytes;
  const std::string room =
      !named->is_dynamic ? ""
      : given == 0
          ? tr(": the launch gives no bytes for it, which are the third value in <<<grid, block, "
               "bytes>>>")
          : tr(": the launch gives {} bytes for it, the third value in <<<grid, block, "
               "bytes>>>, where an element takes {}",
               given, named->element_bytes);
  const int line = block().launch().line;
  const std::string launch = room.empty() || line == 0 ? "" : tr(", on line {}", line);
  return {
      tr("{} is outside {} ({} {} it){}", named->element, named->array, who, does, room + launch),
      named->name, named->bracket};
}

BlockWatch::Words Bounds::words_of_stray(const StrayLane& lane) const {
  const std::string who = block().name_of(lane.thread()), does = verb(lane.request.site.word());
  const std::byte* address = address_of(lane.place());
  if (const std::string host = host_variable_at(lane.place()); !host.empty()) {
    return {fmt::format("{} {} {}", who, does, is_a_host_variable(host))};
  }
  const auto range = DeviceMemory::instance().nearest_range(address);
  const std::string what = outside_of(*range, address, lane.request.site.bytes());
  return {fmt::format("{} {} {}", who, does, what), name_of(*range)};
}

/// Says how long an array's rows are, if that is why a vector cannot be at the start of each row.
std::string Bounds::odd_rows(Place place, unsigned bytes) const {
  std::string name;
  std::size_t row = 0;
  if (is_shared(place)) {
    const auto declared = block().names().declared_at(place);
    if (!declared || !declared->has_rows()) return "";
    name = declared->declaration;
    row = declared->row_bytes();
  } else if (const auto range = DeviceMemory::instance().range_at(address_of(place));
             range && range->description != nullptr) {
    name = range->description->name;
    row = range->description->row_elements * range->description->element_bytes;
  }
  if (row % bytes == 0) return "";
  return tr("; a row of {} has {} bytes, so that rows do not all begin at such an address", name,
            row);
}

void Bounds::report_misaligned(const StrayLane& lane) const {
  const std::uint32_t site = lane.request.site.word();
  block().report("misaligned", site, lane.thread(), [&]() -> BlockWatch::Words {
    const Place place = lane.place();
    const unsigned bytes = lane.request.site.bytes();
    const bool known =
        is_shared(place) || DeviceMemory::instance().range_at(address_of(place)).has_value();
    return {tr("{} {} {} bytes at once at {}, an address that {} does not divide",
               block().name_of(lane.thread()), verb(site), bytes,
               known ? block().element_at(place) : tr("an address outside of all buffers"), bytes) +
                odd_rows(place, bytes),
            known ? block().array_of(place) : ""};
  });
}

void Bounds::private_access(const PrivateAccess& access) {
  if (!access.offset) return;
  block().report("out-of-bounds", access.site, access.thread,
                 [&] { return words_of_private(access); });
}

BlockWatch::Words Bounds::words_of_private(const PrivateAccess& access) const {
  const DeclaredVariable& array = access.variable;
  const std::string who = block().name_of(access.thread);
  if (array.name.empty()) {
    return {tr("{} {} what lies beside one of its own arrays", who, verb(access.site))};
  }
  const auto element_bytes = static_cast<std::ptrdiff_t>(array.element_bytes);
  const std::ptrdiff_t offset = *access.offset;
  // Rounds down to the lower element, as a part of an element counts as well.
  const std::ptrdiff_t index = (offset - (offset < 0 ? element_bytes - 1 : 0)) / element_bytes;
  const std::string what = array.rank == 1
                               ? fmt::format("{}[{}]", array.name, index)
                               : tr("element {} from the first of {}", index, array.name);
  return {
      tr("{} is outside {}, an array of the thread's own with {} elements, declared on "
         "line {} ({} {} it)",
         what, array.name, array.bytes / array.element_bytes, array.line, who, verb(access.site)),
      array.name};
}

void Bounds::index_outside(const IndexOutside& index) {
  const std::string who = block().name_of(index.thread);
  const std::string message =
      index.element
          ? tr("{} is outside {} ({} {} it)", index.element->element, index.element->array, who,
               verb(index.site))
          : tr("index {} is outside {} ({} uses it)", index.fault.index, index.fault.type, who);
  Findings::instance().add({.kind = "out-of-bounds",
                            .message = message,
                            .file = index.fault.file,
                            .line = index.fault.line,
                            .place = block().place_of(index.thread),
                            .array = index.element ? index.element->name : index.fault.type,
                            .bracket = index.element ? index.element->bracket : 0},
                           block().number());
}

std::optional<Bounds::Stray> Bounds::fault_in_a_module(std::uintptr_t address, bool reads) const {
  const ModuleVariables& variables = block().variables();
  const auto* at = reinterpret_cast<const std::byte*>(address);
  if (reads && (variables.is_run_times(at) || is_for_all_to_read(address))) return std::nullopt;
  if (const std::string host = variables.host_variable_at(at); !host.empty()) {
    if (variables.is_line_count(at) || variables.leads_to_shared_memory(at)) {
      return std::nullopt;
    }
    return Stray{"host-pointer", is_a_host_variable(host)};
  }
  if (variables.is_variable_memory(address) && variables.has_device_variables()) {
    const std::byte* place = address_of(variables.place_of(address));
    const std::byte* constant = place + variables.bytes();
    const DeviceMemory& memory = DeviceMemory::instance();
    if (const auto range = memory.range_at(constant)) {
      return Stray{"read-only", tr("{}, but {} is __constant__: a kernel can only read it",
                                   element_of(*range, constant), range->description->name)};
    }
    if (const auto range = memory.nearest_range(place)) {
      return Stray{"out-of-bounds", outside_of(*range, place)};
    }
  }
  if (is_beside_device_memory(address) && !has_argument_near(address)) {
    return Stray{
        "host-pointer",
        tr("address {}, outside of device memory, where no argument of the kernel leads: {}",
           fmt::ptr(at), tr("an index far off does, or a pointer that was read from memory"))};
  }
  const int line = block().launch().line;
  return Stray{"host-pointer",
               tr("address {}, which is host memory: a kernel can reach only what cudaMalloc gave; "
                  "copy with cudaMemcpy",
                  fmt::ptr(at)) +
                   (line == 0 ? "" : tr(" before the launch on line {}", line))};
}

/// Whether the arguments may contain a pointer to host memory from which an index leads to the
/// address.
bool Bounds::has_argument_near(std::uintptr_t address) const {
  constexpr std::uintptr_t bytes_of_an_array = 256 << 20;
  const LaunchBody& body = block().body();
  const auto* arguments = static_cast<const std::byte*>(body.context);
  std::uintptr_t word = 0;
  for (std::size_t at = 0; at + sizeof word <= body.context_bytes; at += sizeof word) {
    std::memcpy(&word, arguments + at, sizeof word);
    const bool is_device = DeviceMemory::instance().contains(reinterpret_cast<const void*>(word));
    const std::uintptr_t distance = word > address ? word - address : address - word;
    if (!is_device && distance < bytes_of_an_array) return true;
  }
  return body.context_bytes == 0;
}

std::optional<Bounds::Stray> Bounds::fault_elsewhere(const void* address, bool reads,
                                                     bool on_a_stack) const {
  const auto* at = static_cast<const std::byte*>(address);
  const LaunchBody& body = block().body();
  const auto* arguments = static_cast<const std::byte*>(body.context);
  if (at >= arguments && at < arguments + body.context_bytes) {
    if (reads) return std::nullopt;
    return Stray{"host-pointer",
                 tr("an argument of the kernel, which all threads share: copy it first")};
  }
  if (on_a_stack) {
    return Stray{"host-pointer",
                 tr("a local variable of another thread, which no other can reach: pass its "
                    "value through shared memory")};
  }
  constexpr std::uintptr_t first_page = 4096;
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  if (number < first_page) {
    return Stray{"host-pointer", tr("address {}: a null pointer was handed to the kernel, or an "
                                    "offset from one",
                                    fmt::ptr(address))};
  }
  return fault_in_a_module(number, reads);
}

std::optional<Bounds::Stray> Bounds::fault_in_device_memory(const void* address) const {
  const DeviceMemory& memory = DeviceMemory::instance();
  if (memory.was_released(address)) {
    return Stray{"host-pointer", tr("memory that cudaFree has taken back: the pointer is stale")};
  }
  const auto range = memory.nearest_range(address);
  return Stray{"out-of-bounds", range ? outside_of(*range, static_cast<const std::byte*>(address))
                                      : tr("device memory, of which none is allocated")};
}

std::optional<Finding> Bounds::access_elsewhere(const AccessElsewhere& access) {
  const bool reads = Site32(access.site).action() == Action::read;
  const bool is_global = DeviceMemory::instance().contains(access.address);
  const auto stray = is_global ? fault_in_device_memory(access.address)
                               : fault_elsewhere(access.address, reads, access.on_a_stack);
  if (!stray) return std::nullopt;
  const SourceLine line = block().line_of(access.site);
  // Variables that the launch's expression captures are read where the launch stands.
  if (!is_global && reads && line.line == block().launch().line) return std::nullopt;
  const unsigned thread = block().running_thread();
  return Finding{
      .kind = stray->kind,
      .message = fmt::format("{} {} {}", block().name_of(thread), verb(access.site), stray->what),
      .file = line.file,
      .line = line.line,
      .place = block().place_of(thread)};
}

}  // namespace tilewise::simt
