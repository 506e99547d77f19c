// The functions that kernels of the checked build call when an access is out of the ordinary, or to
// declare their arrays.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/simt/include/tilewise/shared_memory.hpp"
#include "common/simt/include/tilewise/vector_types.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/host_memory.hpp"
#include "common/simt/runtime/module_variables.hpp"
#include "common/simt/runtime/names.hpp"
#include "common/simt/runtime/stream_order.hpp"

namespace tilewise::simt {

SharedWithHost shared_with_host;

namespace {

/// Returns the place of memory that host and device share.
std::optional<Place> shared_place_of(const void* address, std::size_t bytes) {
  const DeviceMemory& memory = DeviceMemory::instance();
  if (!memory.contains(address)) {
    return ModuleVariables::managed_place_of(reinterpret_cast<std::uintptr_t>(address));
  }
  if (!memory.holds(address, bytes) || !memory.is_open_to_host(address)) return std::nullopt;
  return static_cast<Place>(static_cast<const std::byte*>(address) - memory.base());
}

}  // namespace

void note_host_atomic(const void* address) {
  const auto place = shared_place_of(address, 1);
  if (!place) return;
  for (Observer* observer : process_observers()) observer->host_code_atomic(*place);
}

void note_host_access(const void* address, std::size_t bytes, bool writes, const void* pc) {
  if (StreamOrder::instance().host_knows_all()) return;
  const auto place = shared_place_of(address, bytes);
  if (!place) return;
  for (Observer* observer : process_observers()) {
    observer->host_code_access(*place, bytes, writes, reinterpret_cast<std::uintptr_t>(pc) - 1);
  }
}

void make_room_in_trace() { follow(Block::of_this_thread().wait_for_room_in_trace()); }

void note_kernel_end() { Block::of_this_thread().note_kernel_end(); }

void note_fence() {
  if (recorder.next != nullptr) Block::of_this_thread().watch()->note_fence();
}

namespace {

/// Whether the address is that of a variable of the running thread. If so, the recorder knows the
/// thread's stack from here on.
bool finds_own_stack(const StackPool& stacks, const void* address, const void* frame) {
  const StackPool::Range stack = stacks.stack_at(frame);
  recorder.stack_base = reinterpret_cast<std::uintptr_t>(stack.base);
  recorder.stack_bytes = stack.bytes;
  return is_on_own_stack(recorder, reinterpret_cast<std::uintptr_t>(address), frame);
}

}  // namespace

void guard_store_elsewhere(const void* address, const void* pc, const void* frame) {
  Block& block = Block::of_this_thread();
  if (finds_own_stack(block.stacks(), address, frame)) return;
  if (block.may_store_to_variable(address) || registered().hold(address, 1)) return;
  const SourceLine line = source_line(reinterpret_cast<std::uintptr_t>(pc) - 1);
  follow(block.break_off_access(
      {.kind = "host-pointer",
       .message = fmt::format("{} of {} writes address {}, which is no memory of a GPU's: neither "
                              "what cudaMalloc gave nor a variable of its own",
                              describe(threadIdx), describe_block(blockIdx), fmt::ptr(address)),
       .file = line.file,
       .line = line.line,
       .place = ThreadOfGrid{{blockIdx.x, blockIdx.y, blockIdx.z},
                             {threadIdx.x, threadIdx.y, threadIdx.z}}}));
}

void record_elsewhere(const void* address, std::uint32_t site, const void* frame) {
  Block& block = Block::of_this_thread();
  BlockWatch& watch = *block.watch();
  if (watch.is_harmless(address, site)) return;
  if (finds_own_stack(block.stacks(), address, frame)) {
    if (recorder.has_marks) meet_marks(address, site);
    return;
  }
  if (watch.record_variable(address, site)) return;
  if (registered().hold(address, 1)) return;
  watch.pause_recording();
  auto fault = watch.judge({address, site, block.stacks().stack_at(address).bytes > 0});
  if (fault) follow(block.break_off_access(std::move(*fault)));
  watch.go_on_recording();
}

void name_shared_array(const void* start, const char* name, const char* element_function,
                       size_t element_bytes, size_t alignment, const size_t* extents, size_t rank) {
  if (recorder.next == nullptr) return;
  const auto offset = reinterpret_cast<std::uintptr_t>(start) - recorder.shared_base;
  Block::of_this_thread().watch()->note_shared_array(shared_place + static_cast<Place>(offset),
                                                     name, element_function, element_bytes,
                                                     alignment, {extents, rank});
}

}  // namespace tilewise::simt
