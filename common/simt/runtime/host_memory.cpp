#include "common/simt/runtime/host_memory.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <new>

#include "common/simt/include/tilewise/host_api.hpp"
#include "common/simt/recorder/record.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/device_memory.hpp"
#include "common/simt/runtime/remote_device.hpp"
#include "common/simt/runtime/streams.hpp"

// Memory that host and kernels share, and memory pools.

namespace tilewise::simt {

Ranges& registered() {
  static Ranges* const ranges = new Ranges;  // modules may still use it when the program ends
  return *ranges;
}

namespace {

std::atomic<bool> follows_host{true};

}  // namespace

void follow_host(std::uintptr_t variables, std::size_t variables_bytes) {
  if (!follows_host) return;
  const DeviceMemory& memory = DeviceMemory::instance();
  shared_with_host.base = reinterpret_cast<std::uintptr_t>(memory.base());
  shared_with_host.bytes = memory.capacity();
  if (variables_bytes > 0) {
    shared_with_host.variables_base = variables;
    shared_with_host.variables_bytes = variables_bytes;
  }
  StreamOrder::instance().share_memory();
}

bool never_follow_host() {
  follows_host = false;
  shared_with_host = {};
  return true;
}

namespace {

cudaError_t allocate(void** pointer, std::size_t bytes, MemoryKind kind) {
  if (pointer == nullptr) return device::fail(cudaErrorInvalidValue);
  if (device::lasting_error() != cudaSuccess) return device::lasting_error();
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  try {
    *pointer = DeviceMemory::instance().allocate(bytes, kind);
  } catch (const std::bad_alloc&) {
    *pointer = nullptr;
  }
  follow_host();
  return *pointer ? cudaSuccess : device::fail(cudaErrorMemoryAllocation);
}

}  // namespace
}  // namespace tilewise::simt

using namespace tilewise::simt;

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  if (RemoteDevice::instance() == nullptr) return allocate(pointer, bytes, MemoryKind::pinned);
  // Kernels are in another process, and do not see this memory.
  if (pointer == nullptr) return device::fail(cudaErrorInvalidValue);
  *pointer = std::malloc(bytes);
  if (*pointer) registered().insert(*pointer, bytes);
  return *pointer || bytes == 0 ? cudaSuccess : device::fail(cudaErrorMemoryAllocation);
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void* pointer) {
  if (pointer == nullptr) return cudaSuccess;
  if (RemoteDevice::instance() == nullptr) {
    StreamOrder::instance().host_waits();
    DeviceMemory& memory = DeviceMemory::instance();
    const bool is_pinned = memory.kind_at(pointer) == MemoryKind::pinned;
    return is_pinned && memory.release(pointer) ? cudaSuccess : device::fail(cudaErrorInvalidValue);
  }
  registered().erase(pointer);
  std::free(pointer);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned) {
  if (pointer == nullptr || bytes == 0) return device::fail(cudaErrorInvalidValue);
  if (registered().hold(pointer, 1)) return device::fail(cudaErrorHostMemoryAlreadyRegistered);
  registered().insert(pointer, bytes);
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* pointer) {
  if (!registered().hold(pointer, 1)) return device::fail(cudaErrorHostMemoryNotRegistered);
  registered().erase(pointer);
  return cudaSuccess;
}

namespace {

bool is_shared(const void* host) {
  return registered().hold(host, 1) || DeviceMemory::instance().kind_at(host) == MemoryKind::pinned;
}

}  // namespace

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (device == nullptr || !is_shared(host)) return device::fail(cudaErrorInvalidValue);
  if (RemoteDevice::instance() != nullptr) return device::fail(cudaErrorNotSupported);
  *device = host;
  return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  if (flags == nullptr || !is_shared(host)) return device::fail(cudaErrorInvalidValue);
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned) {
  if (RemoteDevice::instance() != nullptr) return device::not_supported("cudaMallocManaged");
  return allocate(pointer, bytes, MemoryKind::managed);
}

// Where managed memory lies at any time changes no result.
cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return device::lasting_error();
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) {
  return device::lasting_error();
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return device::lasting_error();
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) {
  return device::lasting_error();
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) {
  return device::lasting_error();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (attributes == nullptr) return device::fail(cudaErrorInvalidValue);
  void* const address = const_cast<void*>(pointer);
  if (points_to_device(pointer)) {
    const bool is_managed = DeviceMemory::instance().kind_at(pointer) == MemoryKind::managed;
    *attributes = {is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice, 0, address,
                   is_managed ? address : nullptr};
  } else if (is_shared(pointer)) {
    *attributes = {cudaMemoryTypeHost, 0, address, address};
  } else {
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, address};
  }
  return cudaSuccess;
}

// Pools. Memory comes from the device and is released at once, so a pool keeps nothing.

struct CUmemPoolHandle_st {
  std::array<unsigned long long, 16> attributes{};
};

namespace {

CUmemPoolHandle_st default_pool;
cudaMemPool_t current_pool = &default_pool;

bool is_flag(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

bool is_possible(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value) {
  return pool != nullptr && value != nullptr && attribute > 0 &&
         static_cast<std::size_t>(attribute) < pool->attributes.size();
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return issue(stream, cudaGraphNodeTypeMemFree, [=] { return cudaFree(pointer); });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool == nullptr) return device::fail(cudaErrorInvalidValue);
  return cudaMallocAsync(pointer, bytes, stream);
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr) return device::fail(cudaErrorInvalidValue);
  *pool = new CUmemPoolHandle_st;
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (pool == nullptr || pool == &default_pool) return device::fail(cudaErrorInvalidValue);
  if (current_pool == pool) current_pool = &default_pool;
  delete pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return pool == nullptr ? device::fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_possible(pool, attribute, value)) return device::fail(cudaErrorInvalidValue);
  pool->attributes[static_cast<std::size_t>(attribute)] =
      is_flag(attribute) ? static_cast<unsigned long long>(*static_cast<int*>(value))
                         : *static_cast<unsigned long long*>(value);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (!is_possible(pool, attribute, value)) return device::fail(cudaErrorInvalidValue);
  const unsigned long long kept = pool->attributes[static_cast<std::size_t>(attribute)];
  if (is_flag(attribute)) {
    *static_cast<int*>(value) = static_cast<int>(kept);
  } else {
    *static_cast<unsigned long long*>(value) = kept;
  }
  return cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc*, size_t) {
  return pool == nullptr ? device::fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation*) {
  if (flags == nullptr || pool == nullptr) return device::fail(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr || device != 0) return device::fail(cudaErrorInvalidValue);
  *pool = &default_pool;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (pool == nullptr || device != 0) return device::fail(cudaErrorInvalidValue);
  *pool = current_pool;
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (pool == nullptr || device != 0) return device::fail(cudaErrorInvalidValue);
  current_pool = pool;
  return cudaSuccess;
}
