#pragma once

#include <stddef.h>

#include "errors.hpp"
#include "qualifiers.hpp"
#include "vector_types.hpp"

// Memory. Device memory is out of reach for host code except through these functions: a host
// dereference of a device pointer stops the program with an explanation.

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;

/// Device memory aligned to 256 bytes, filled with 0xFF bytes (float NaN) because a real device
/// hands out arbitrary bytes.
cudaError_t cudaMalloc(void** pointer, size_t bytes);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaMallocHost(void** pointer, size_t bytes);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
/// Copies `height` rows of `width_bytes`; rows start a pitch apart, in bytes.
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width_bytes, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* pointer, int byte, size_t bytes);
cudaError_t cudaMemsetAsync(void* pointer, int byte, size_t bytes, cudaStream_t stream = nullptr);

template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return cudaMalloc(reinterpret_cast<void**>(pointer), bytes);
}

template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
  return cudaMallocHost(reinterpret_cast<void**>(pointer), bytes);
}

constexpr unsigned cudaHostAllocDefault = 0;
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned /*flags*/) {
  return cudaMallocHost(pointer, bytes);
}

// Streams are in order, so that what is freed or allocated in one may be at once.
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t) {
  return cudaMalloc(pointer, bytes);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }

/// Rows of `width_bytes`, which start `*pitch` bytes apart.
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width_bytes, size_t height) {
  constexpr size_t alignment = 512;  // as GPUs have it
  *pitch = (width_bytes + alignment - 1) / alignment * alignment;
  return cudaMalloc(pointer, *pitch * height);
}
inline cudaError_t cudaMemset2D(void* pointer, size_t pitch, int byte, size_t width_bytes,
                                size_t height) {
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error =
        cudaMemset(static_cast<char*>(pointer) + row * pitch, byte, width_bytes);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

namespace tilewise::simt {
cudaError_t copy_to_symbol(void* symbol, size_t symbol_bytes, const void* from, size_t bytes,
                           size_t offset);
cudaError_t copy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes,
                             size_t offset);
/// From then on copies take the address for one of device memory.
cudaError_t address_of_symbol(void** pointer, const void* symbol, size_t bytes);
}  // namespace tilewise::simt

/// Symbols are `__constant__` and `__device__` variables; a range beyond one is
/// cudaErrorInvalidValue.
template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice) {
  return tilewise::simt::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)),
                                        sizeof(T), from, bytes, offset);
}

template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  return tilewise::simt::copy_from_symbol(to, &symbol, sizeof(T), bytes, offset);
}

template <class Pointer, class T>
cudaError_t cudaGetSymbolAddress(Pointer** pointer, const T& symbol) {
  return tilewise::simt::address_of_symbol(reinterpret_cast<void**>(pointer), &symbol, sizeof(T));
}

template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
  return *bytes = sizeof(T), cudaSuccess;
}

enum cudaMemoryType {
  cudaMemoryTypeUnregistered = 0,  ///< the host's, of which CUDA knows nothing
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
};

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

// Streams and events. Work runs when it is issued, so every stream is always in order and idle.

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/// Wall-clock milliseconds of the simulation between two recorded events; says nothing of a GPU.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);
cudaError_t cudaDeviceSynchronize();

// Streams that nobody creates.
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))

constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1;
constexpr unsigned cudaEventDefault = 0, cudaEventDisableTiming = 2;

// The device: the GPU profile the simulator was told to be.

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  size_t sharedMemPerBlockOptin;
  size_t sharedMemPerMultiprocessor;
  size_t totalConstMem;
  int regsPerBlock;
  int regsPerMultiprocessor;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  int maxThreadsPerMultiProcessor;
  int maxBlocksPerMultiProcessor;
  int multiProcessorCount;
  int clockRate;  ///< kHz
  int l2CacheSize;
  int major;
  int minor;
  int computeMode;  ///< 0: any number of programs may use the device
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

cudaError_t cudaGetDeviceCount(int* count);
inline cudaError_t cudaRuntimeGetVersion(int* version) {
  return *version = CUDART_VERSION, cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) {
  return *version = CUDART_VERSION, cudaSuccess;
}
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
/// Frees all device memory and forgets every error, lasting ones too.
cudaError_t cudaDeviceReset();
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
};

/// Raises the dynamic shared memory a launch may ask for. The simulator keeps the largest value any
/// kernel asked for rather than one a kernel.
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);

template <class R, class... P>
cudaError_t cudaFuncSetAttribute(R (*function)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}

/// How much of the memory that L1 and shared memory have together is to be shared, in percent.
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxShared = 100,
  cudaSharedmemCarveoutMaxL1 = 0,
};

struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int ptxVersion;
  int binaryVersion;
  int cacheModeCA;
  int maxDynamicSharedSizeBytes;
  int preferredShmemCarveout;
};

/// What the device allows any kernel: of what a GPU's compiler makes of this one nothing is known
/// here, so that it is said to need no memory of its own and 32 registers, as many as let an SM be
/// full.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);

template <class R, class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, R (*function)(P...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}

/// Preferences and limits that change no result.
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

/// Blocks of a kernel that an SM holds at once, as far as threads and dynamic shared memory bound
/// them: what registers a kernel needs, and how much static shared memory, is not known here.
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel*, int block_size,
                                                          size_t dynamic_shared_bytes) {
  cudaDeviceProp device;
  if (block_size < 1 || cudaGetDeviceProperties(&device, 0) != cudaSuccess) {
    return cudaErrorInvalidValue;
  }
  const size_t by_threads = static_cast<size_t>(device.maxThreadsPerMultiProcessor / block_size);
  const size_t most = static_cast<size_t>(device.maxBlocksPerMultiProcessor);
  const size_t by_shared =
      dynamic_shared_bytes == 0 ? most : device.sharedMemPerMultiprocessor / dynamic_shared_bytes;
  const size_t fewer = by_threads < by_shared ? by_threads : by_shared;
  *blocks = static_cast<int>(fewer < most ? fewer : most);
  if (block_size > device.maxThreadsPerBlock) *blocks = 0;
  return cudaSuccess;
}

/// The largest block, and as many of them as the device holds at once.
template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid_size, int* block_size, Kernel* kernel,
                                               size_t dynamic_shared_bytes = 0, int limit = 0) {
  cudaDeviceProp device;
  const cudaError_t error = cudaGetDeviceProperties(&device, 0);
  if (error != cudaSuccess) return error;
  *block_size = device.maxThreadsPerBlock;
  if (limit > 0 && limit < *block_size) *block_size = limit;
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, *block_size, dynamic_shared_bytes);
  *grid_size = blocks * device.multiProcessorCount;
  return cudaSuccess;
}
