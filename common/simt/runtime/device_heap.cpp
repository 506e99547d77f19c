// The heap of kernels, and the functions of C and C++ that lead to it. Checked modules are linked
// with `--wrap` for each of these. Calls from host code go on to the library's own.
#include "common/simt/runtime/device_heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "common/base/language.hpp"
#include "common/simt/include/tilewise/fibers.hpp"
#include "common/simt/recorder/modules.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/block.hpp"
#include "common/simt/runtime/device_memory.hpp"

namespace tilewise::simt {

namespace {

constexpr std::size_t least_alignment = 16;
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
/// The gap between the memory of two calls: an access there is past an end.
constexpr std::size_t gap = 64;

std::byte* round_up(std::byte* pointer, std::size_t unit) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  return pointer + ((address + unit - 1) / unit * unit - address);
}

}  // namespace

DeviceHeap& DeviceHeap::instance() {
  static DeviceHeap* const heap = new DeviceHeap;  // outlives static destructors that use it
  return *heap;
}

void DeviceHeap::set_limit(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

void* DeviceHeap::allocate(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(mutex_);
  if (bytes > limit_ - std::min(limit_, live_bytes_)) return nullptr;
  DeviceMemory& memory = DeviceMemory::instance();
  alignment = std::max(alignment, least_alignment);
  std::byte* start = round_up(next_, alignment);
  if (next_ == nullptr || start > end_ || static_cast<std::size_t>(end_ - start) < bytes + gap) {
    const std::size_t wanted = std::max(chunk_bytes, bytes + alignment + gap);
    auto* const chunk = static_cast<std::byte*>(memory.allocate(wanted, MemoryKind::heap));
    if (chunk == nullptr) return nullptr;
    chunks_.push_back(chunk);
    end_ = chunk + wanted;
    start = round_up(chunk, alignment);
  }
  next_ = start + bytes + gap;
  live_[start] = bytes;
  live_bytes_ += bytes;
  memory.describe(start,
                  {.name = tr("memory from the heap"), .bytes = std::max<std::size_t>(bytes, 1)});
  return start;
}

bool DeviceHeap::release(void* pointer) {
  const std::lock_guard lock(mutex_);
  const auto known = live_.find(static_cast<std::byte*>(pointer));
  if (known == live_.end()) return false;
  live_bytes_ -= known->second;
  live_.erase(known);
  return true;
}

void DeviceHeap::begin_launch() {
  const std::lock_guard lock(mutex_);
  if (!live_.empty()) return;
  next_ = end_ = nullptr;
  for (std::byte* chunk : std::exchange(chunks_, {})) DeviceMemory::instance().release(chunk);
}

void DeviceHeap::forget() {
  const std::lock_guard lock(mutex_);
  live_.clear();
  chunks_.clear();
  live_bytes_ = 0;
  next_ = end_ = nullptr;
}

namespace {

/// Whether a kernel makes the call, rather than the run-time while it works for one. The run-time's
/// containers may use functions that the module has, too, but its accesses are not recorded.
bool is_called_by_kernel() { return recorder.next != nullptr; }

void* allocate_for_kernel(std::size_t bytes, std::size_t alignment = least_alignment) {
  BlockWatch& watch = *Block::of_this_thread().watch();
  watch.pause_recording();
  void* const memory = DeviceHeap::instance().allocate(bytes, alignment);
  watch.go_on_recording();
  return memory;
}

/// @param pc the address that the call returns to
void release_of_kernel(void* pointer, const void* pc) {
  Block& block = Block::of_this_thread();
  block.watch()->pause_recording();
  if (pointer == nullptr || DeviceHeap::instance().release(pointer)) {
    return block.watch()->go_on_recording();
  }
  const SourceLine line = source_line(reinterpret_cast<std::uintptr_t>(pc) - 1);
  const core::ThreadOfGrid place{{blockIdx.x, blockIdx.y, blockIdx.z},
                                 {threadIdx.x, threadIdx.y, threadIdx.z}};
  follow(block.break_off_access(
      {.kind = "host-pointer",
       .message =
           tr("block ({}, {}, {}), thread ({}, {}, {}) gives back memory that no malloc() or "
              "new of a kernel gave, or that was given back before",
              place.block[0], place.block[1], place.block[2], place.thread[0], place.thread[1],
              place.thread[2]),
       .file = line.file,
       .line = line.line,
       .place = place}));
}

}  // namespace
}  // namespace tilewise::simt

extern "C" {

void* __wrap_malloc(std::size_t bytes) {
  return tilewise::simt::is_called_by_kernel() ? tilewise::simt::allocate_for_kernel(bytes)
                                               : std::malloc(bytes);
}

void __wrap_free(void* pointer) {
  tilewise::simt::is_called_by_kernel()
      ? tilewise::simt::release_of_kernel(pointer, __builtin_return_address(0))
      : std::free(pointer);
}

// The kinds of `new`, by the names that compilers give them. When the heap is used up, these return
// null, as they do on a GPU.
void* __wrap__Znwm(std::size_t bytes) {
  return tilewise::simt::is_called_by_kernel() ? tilewise::simt::allocate_for_kernel(bytes)
                                               : ::operator new(bytes);
}
void* __wrap__Znam(std::size_t bytes) {
  return tilewise::simt::is_called_by_kernel() ? tilewise::simt::allocate_for_kernel(bytes)
                                               : ::operator new[](bytes);
}
void* __wrap__ZnwmRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t& nothrow) {
  return tilewise::simt::is_called_by_kernel() ? tilewise::simt::allocate_for_kernel(bytes)
                                               : ::operator new(bytes, nothrow);
}
void* __wrap__ZnamRKSt9nothrow_t(std::size_t bytes, const std::nothrow_t& nothrow) {
  return tilewise::simt::is_called_by_kernel() ? tilewise::simt::allocate_for_kernel(bytes)
                                               : ::operator new[](bytes, nothrow);
}
void* __wrap__ZnwmSt11align_val_t(std::size_t bytes, std::align_val_t alignment) {
  return tilewise::simt::is_called_by_kernel()
             ? tilewise::simt::allocate_for_kernel(bytes, static_cast<std::size_t>(alignment))
             : ::operator new(bytes, alignment);
}
void* __wrap__ZnamSt11align_val_t(std::size_t bytes, std::align_val_t alignment) {
  return tilewise::simt::is_called_by_kernel()
             ? tilewise::simt::allocate_for_kernel(bytes, static_cast<std::size_t>(alignment))
             : ::operator new[](bytes, alignment);
}

// The kinds of `delete`, likewise.
#define TILEWISE_DELETE(name, otherwise, ...)                                     \
  void __wrap__##name(void* pointer __VA_OPT__(, ) __VA_ARGS__) {                 \
    tilewise::simt::is_called_by_kernel()                                         \
        ? tilewise::simt::release_of_kernel(pointer, __builtin_return_address(0)) \
        : ::operator otherwise;                                                   \
  }
TILEWISE_DELETE(ZdlPv, delete (pointer))
TILEWISE_DELETE(ZdaPv, delete[](pointer))
TILEWISE_DELETE(ZdlPvm, delete (pointer), std::size_t)
TILEWISE_DELETE(ZdaPvm, delete[](pointer), std::size_t)
TILEWISE_DELETE(ZdlPvSt11align_val_t, delete (pointer, alignment), std::align_val_t alignment)
TILEWISE_DELETE(ZdaPvSt11align_val_t, delete[](pointer, alignment), std::align_val_t alignment)
TILEWISE_DELETE(ZdlPvmSt11align_val_t, delete (pointer, alignment), std::size_t,
                std::align_val_t alignment)
TILEWISE_DELETE(ZdaPvmSt11align_val_t, delete[](pointer, alignment), std::size_t,
                std::align_val_t alignment)
#undef TILEWISE_DELETE

}  // extern "C"
