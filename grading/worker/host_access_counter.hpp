/// \file
/// Counts how many bytes of the device a cuda module lets the host read, because a result that is
/// computed on the host must be made from them. The calls are wrapped as launch_counter.hpp wraps
/// launches. Copies and memory that both sides share are counted; refused_calls.hpp refuses the
/// calls that would evade the count. Copies go to the default stream, as launches do.
///
/// Defines symbols with external linkage, so include it only once per module (binding.hpp does).
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <cstddef>

namespace tilewise::grading::binding {

struct HostAccess {
  std::atomic<std::size_t> copied{0};  ///< since the last take_bytes_for_the_host()
  std::atomic<std::size_t> shared{0};  ///< so far: once allocated, it serves every later call
  std::atomic<std::size_t> copies{0};  ///< so far, in any direction
};

inline HostAccess& host_access() {
  static HostAccess access;
  return access;
}

inline std::size_t take_bytes_for_the_host() {
  return host_access().copied.exchange(0) + host_access().shared;
}

inline std::size_t copies_made() { return host_access().copies; }

inline bool is_on_host(const void* address) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, address) == cudaSuccess) {
    return attributes.type != cudaMemoryTypeDevice;
  }
  cudaGetLastError();  // the student's next call must not find this error
  return true;
}

/// Counts a copy to `destination`, and its bytes if they let the host read the device.
inline void count_copy(const void* destination, cudaMemcpyKind kind, std::size_t bytes) {
  ++host_access().copies;
  const bool to_host =
      kind == cudaMemcpyDeviceToHost || (kind == cudaMemcpyDefault && is_on_host(destination));
  if (to_host) host_access().copied += bytes;
}

inline cudaError_t count_shared(cudaError_t status, std::size_t bytes) {
  if (status == cudaSuccess) host_access().shared += bytes;
  return status;
}

}  // namespace tilewise::grading::binding

extern "C" {

cudaError_t __real_cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  tilewise::grading::binding::count_copy(to, kind, bytes);
  return __real_cudaMemcpy(to, from, bytes, kind);
}

cudaError_t __real_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t) {
  tilewise::grading::binding::count_copy(to, kind, bytes);
  return __real_cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t __real_cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  tilewise::grading::binding::count_copy(to, kind, width * height);
  return __real_cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

cudaError_t __real_cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream);
cudaError_t __wrap_cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t) {
  tilewise::grading::binding::count_copy(to, kind, width * height);
  return __real_cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}

cudaError_t __real_cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind) {
  tilewise::grading::binding::count_copy(to, kind, bytes);
  return __real_cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}

cudaError_t __real_cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes,
                                             size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  tilewise::grading::binding::count_copy(to, kind, bytes);
  return __real_cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}

cudaError_t __real_cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                      size_t offset, cudaMemcpyKind kind);
cudaError_t __wrap_cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes,
                                      size_t offset, cudaMemcpyKind kind) {
  tilewise::grading::binding::count_copy(symbol, cudaMemcpyHostToDevice, bytes);
  return __real_cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}

cudaError_t __real_cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                           size_t offset, cudaMemcpyKind kind, cudaStream_t) {
  tilewise::grading::binding::count_copy(symbol, cudaMemcpyHostToDevice, bytes);
  return __real_cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}

cudaError_t __real_cudaHostAlloc(void** memory, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return tilewise::grading::binding::count_shared(__real_cudaHostAlloc(memory, bytes, flags),
                                                  bytes);
}

cudaError_t __real_cudaMallocHost(void** memory, size_t bytes);
cudaError_t __wrap_cudaMallocHost(void** memory, size_t bytes) {
  return tilewise::grading::binding::count_shared(__real_cudaMallocHost(memory, bytes), bytes);
}

cudaError_t __real_cudaHostRegister(void* memory, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaHostRegister(void* memory, size_t bytes, unsigned flags) {
  return tilewise::grading::binding::count_shared(__real_cudaHostRegister(memory, bytes, flags),
                                                  bytes);
}

cudaError_t __real_cudaMallocManaged(void** memory, size_t bytes, unsigned flags);
cudaError_t __wrap_cudaMallocManaged(void** memory, size_t bytes, unsigned flags) {
  return tilewise::grading::binding::count_shared(__real_cudaMallocManaged(memory, bytes, flags),
                                                  bytes);
}

// `__managed__` variables compile to calls of this function, which register them before any code of
// the module runs.
void __real___cudaRegisterManagedVar(void** module, void** host_address, char* device_address,
                                     const char* name, int external, size_t bytes, int constant,
                                     int global);
void __wrap___cudaRegisterManagedVar(void** module, void** host_address, char* device_address,
                                     const char* name, int external, size_t bytes, int constant,
                                     int global) {
  tilewise::grading::binding::count_shared(cudaSuccess, bytes);
  __real___cudaRegisterManagedVar(module, host_address, device_address, name, external, bytes,
                                  constant, global);
}

}  // extern "C"
