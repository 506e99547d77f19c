#include <atomic>
#include <cstring>
#include <new>

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/host_memory.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/streams.hpp"
#include "common/simt/simt.hpp"
#include "common/simt/trace.hpp"

namespace tilewise::simt {

void describe_buffer(const void* device_pointer, const BufferDescription& description) {
  DeviceMemory::instance().describe(device_pointer, description);
}

void describe_buffer(const void* device_pointer, std::size_t bytes, const char* name) {
  describe_buffer(device_pointer, {.name = name, .bytes = bytes});
}

std::uint32_t place_in_device_memory(const void* device_pointer) {
  return static_cast<std::uint32_t>(static_cast<const std::byte*>(device_pointer) -
                                    DeviceMemory::instance().base());
}

namespace {

/// The variables of modules whose address the program has asked for.
Ranges& symbols() {
  static Ranges* const ranges = new Ranges;  // modules may still use it when the program ends
  return *ranges;
}

}  // namespace

/// The host's memory that kernels may access lies in the same address range as device memory.
bool points_to_device(const void* address) {
  const DeviceMemory& memory = DeviceMemory::instance();
  return memory.contains(address) ? memory.kind_at(address) != MemoryKind::pinned
                                  : symbols().hold(address, 1);
}

namespace {

bool device_holds(const void* start, std::size_t bytes) {
  return DeviceMemory::instance().holds(start, bytes) || symbols().hold(start, bytes);
}

bool on_device(cudaMemcpyKind kind, bool destination) {
  return destination ? kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
                     : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/// Whether a range may be on this side of a copy: a device range lies in one allocation, and a host
/// range does not point into device memory.
bool fits_side(const void* range, std::size_t bytes, cudaMemcpyKind kind, bool destination) {
  const bool of_both = is_shared_with_host(DeviceMemory::instance().kind_at(range));
  if (of_both) return device_holds(range, bytes);
  if (kind == cudaMemcpyDefault) return !points_to_device(range) || device_holds(range, bytes);
  return on_device(kind, destination) ? device_holds(range, bytes) : !points_to_device(range);
}

/// Copies where device memory is in another process, which checks its own ranges.
cudaError_t copy_from_afar(RemoteDevice& device, void* to, const void* from, std::size_t bytes,
                           cudaMemcpyKind kind) {
  const auto is_device = [&](const void* range, bool destination) {
    return kind == cudaMemcpyDefault ? points_to_device(range) : on_device(kind, destination);
  };
  const bool to_device = is_device(to, true), from_device = is_device(from, false);
  if (to == nullptr || from == nullptr) return device::fail(cudaErrorInvalidValue);
  if (to_device != points_to_device(to) || from_device != points_to_device(from)) {
    device.note_refused_copy(kind, points_to_device(to), points_to_device(from));
    return device::fail(cudaErrorInvalidValue);
  }
  if (to_device && from_device) return device.copy_on_device(to, from, bytes);
  if (to_device) return device.copy_to_device(to, from, bytes);
  if (from_device) return device.copy_to_host(to, from, bytes);
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

/// While the object exists, a copy runs in its stream, or otherwise in the default stream.
class CopyUnderWay {
 public:
  /// @param is_waited_for whether the host waits for the copy
  CopyUnderWay(const char* name, bool is_waited_for)
      : work_(nullptr, name), is_waited_for_(is_waited_for) {}
  ~CopyUnderWay() {
    if (is_waited_for_) StreamOrder::instance().host_waits_for_current();
  }
  CopyUnderWay(const CopyUnderWay&) = delete;
  CopyUnderWay& operator=(const CopyUnderWay&) = delete;

 private:
  StreamOrder::Work work_;
  bool is_waited_for_;
};

}  // namespace

cudaError_t copy_now(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (device::lasting_error() != cudaSuccess) return device::lasting_error();
  if (bytes == 0) return cudaSuccess;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return device::fail(cudaErrorInvalidMemcpyDirection);
  }
  if (RemoteDevice* const device = RemoteDevice::instance()) {
    return copy_from_afar(*device, to, from, bytes, kind);
  }
  if (to == nullptr || from == nullptr) return device::fail(cudaErrorInvalidValue);
  if (!fits_side(to, bytes, kind, true) || !fits_side(from, bytes, kind, false)) {
    device::record_refused_copy(kind, points_to_device(to), points_to_device(from));
    return device::fail(cudaErrorInvalidValue);
  }
  const DeviceMemory& memory = DeviceMemory::instance();
  // The host waits for copies without a stream, and for copies of its own pageable memory.
  const bool is_waited_for =
      !StreamOrder::instance().is_at_work() || !memory.contains(to) || !memory.contains(from);
  const CopyUnderWay under_way("cudaMemcpy()", is_waited_for);
  memory.note_copy(to, from, bytes);
  if (points_to_device(from) && !points_to_device(to)) device::note_bytes_to_host(bytes);
  const DeviceMemory::Access access;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}

cudaError_t copy_rows_now(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                          std::size_t width_bytes, std::size_t height, cudaMemcpyKind kind) {
  // A pitch of 0 is allowed for a single row, which no other row follows.
  const auto is_too_small = [&](std::size_t pitch) {
    return width_bytes > pitch && (pitch != 0 || height > 1);
  };
  if (is_too_small(to_pitch) || is_too_small(from_pitch)) {
    return device::fail(cudaErrorInvalidPitchValue);
  }
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        copy_now(static_cast<std::byte*>(to) + row * to_pitch,
                 static_cast<const std::byte*>(from) + row * from_pitch, width_bytes, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t fill_now(void* pointer, int byte, std::size_t bytes) {
  if (device::lasting_error() != cudaSuccess) return device::lasting_error();
  if (bytes == 0) return cudaSuccess;
  if (RemoteDevice* const device = RemoteDevice::instance()) {
    return device->fill(pointer, byte, bytes);
  }
  if (!device_holds(pointer, bytes)) return device::fail(cudaErrorInvalidValue);
  const bool is_waited_for = !StreamOrder::instance().is_at_work() &&
                             is_shared_with_host(DeviceMemory::instance().kind_at(pointer));
  const CopyUnderWay under_way("cudaMemset()", is_waited_for);
  DeviceMemory::instance().note_copy(pointer, &byte, bytes);
  const DeviceMemory::Access access;
  std::memset(pointer, byte, bytes);
  return cudaSuccess;
}

cudaError_t copy_to_symbol(void* symbol, std::size_t symbol_bytes, const void* from,
                           std::size_t bytes, std::size_t offset, cudaStream_t stream) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    return device::fail(cudaErrorInvalidValue);
  }
  std::byte* const to = static_cast<std::byte*>(symbol) + offset;
  RemoteDevice* const device = RemoteDevice::instance();
  if (device == nullptr || bytes == 0) {
    return issue(stream, cudaGraphNodeTypeMemcpy,
                 [=] { return copy_now(to, from, bytes, cudaMemcpyDefault); });
  }
  return DeviceMemory::instance().contains(from) ? device->copy_on_device(to, from, bytes)
                                                 : device->copy_to_device(to, from, bytes);
}

cudaError_t copy_from_symbol(void* to, const void* symbol, std::size_t symbol_bytes,
                             std::size_t bytes, std::size_t offset, cudaStream_t stream) {
  if (offset > symbol_bytes || bytes > symbol_bytes - offset) {
    return device::fail(cudaErrorInvalidValue);
  }
  const std::byte* const from = static_cast<const std::byte*>(symbol) + offset;
  RemoteDevice* const device = RemoteDevice::instance();
  const bool to_device = DeviceMemory::instance().contains(to);
  if (device == nullptr || bytes == 0) {
    if (!to_device) device::note_bytes_to_host(bytes);
    return issue(stream, cudaGraphNodeTypeMemcpy,
                 [=] { return copy_now(to, from, bytes, cudaMemcpyDefault); });
  }
  return to_device ? device->copy_on_device(to, from, bytes)
                   : device->copy_to_host(to, from, bytes);
}

cudaError_t address_of_symbol(void** pointer, const void* symbol, std::size_t bytes) {
  if (pointer == nullptr || symbol == nullptr) return device::fail(cudaErrorInvalidValue);
  symbols().insert(symbol, bytes);
  *pointer = const_cast<void*>(symbol);
  return cudaSuccess;
}

}  // namespace tilewise::simt

using namespace tilewise::simt;

namespace {

std::atomic<MemoryKind> kind_of_allocations = MemoryKind::device;

}  // namespace

bool tilewise::simt::share_device_memory() {
  // Memory is not shared where a grader judges what is done to it.
  if (device::is_whole_program()) kind_of_allocations = MemoryKind::managed;
  return true;
}

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (pointer == nullptr) return device::fail(cudaErrorInvalidValue);
  if (device::lasting_error() != cudaSuccess) return device::lasting_error();
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (RemoteDevice* const device = RemoteDevice::instance())
    return device->allocate(pointer, bytes);
  try {
    *pointer = DeviceMemory::instance().allocate(bytes, kind_of_allocations);
  } catch (const std::bad_alloc&) {
    *pointer = nullptr;  // the exception may concern what is kept about the elements
  }
  return *pointer ? cudaSuccess : device::fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (RemoteDevice* const device = RemoteDevice::instance()) return device->release(pointer);
  StreamOrder::instance().host_waits();
  if (DeviceMemory::instance().release(pointer)) return cudaSuccess;
  return device::fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  if (RemoteDevice* const device = RemoteDevice::instance()) {
    return device->memory_info(free_bytes, total_bytes);
  }
  const DeviceMemory& memory = DeviceMemory::instance();
  *total_bytes = memory.capacity();
  *free_bytes = memory.capacity() - memory.used();
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_now(to, from, bytes, kind);
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return issue(stream, cudaGraphNodeTypeMemcpy, [=] { return copy_now(to, from, bytes, kind); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width_bytes, size_t height, cudaMemcpyKind kind) {
  return copy_rows_now(to, to_pitch, from, from_pitch, width_bytes, height, kind);
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width_bytes, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return issue(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_rows_now(to, to_pitch, from, from_pitch, width_bytes, height, kind);
  });
}

cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy_now(to, from, bytes, cudaMemcpyDefault);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

cudaError_t cudaMemset(void* pointer, int byte, size_t bytes) {
  return fill_now(pointer, byte, bytes);
}

cudaError_t cudaMemsetAsync(void* pointer, int byte, size_t bytes, cudaStream_t stream) {
  return issue(stream, cudaGraphNodeTypeMemset, [=] { return fill_now(pointer, byte, bytes); });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width_bytes, size_t height) {
  if (pitch == nullptr) return device::fail(cudaErrorInvalidValue);
  constexpr size_t alignment = 512;  // the alignment that GPUs use
  *pitch = (width_bytes + alignment - 1) / alignment * alignment;
  return cudaMalloc(pointer, *pitch * height);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (pointer == nullptr) return device::fail(cudaErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int byte, size_t width_bytes,
                              size_t height, cudaStream_t stream) {
  if (width_bytes > pitch) return device::fail(cudaErrorInvalidPitchValue);
  return issue(stream, cudaGraphNodeTypeMemset, [=] {
    for (size_t row = 0; row < height; ++row) {
      const cudaError_t error =
          fill_now(static_cast<std::byte*>(pointer) + row * pitch, byte, width_bytes);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int byte, size_t width_bytes, size_t height) {
  return cudaMemset2DAsync(pointer, pitch, byte, width_bytes, height, nullptr);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int byte, cudaExtent extent,
                              cudaStream_t stream) {
  if (extent.depth > 1 && extent.height > pointer.ysize) return device::fail(cudaErrorInvalidValue);
  for (size_t layer = 0; layer < extent.depth; ++layer) {
    const cudaError_t error = cudaMemset2DAsync(
        static_cast<std::byte*>(pointer.ptr) + layer * pointer.ysize * pointer.pitch, pointer.pitch,
        byte, extent.width, extent.height, stream);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int byte, cudaExtent extent) {
  return cudaMemset3DAsync(pointer, byte, extent, nullptr);
}
