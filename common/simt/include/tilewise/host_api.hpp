#pragma once

#include <stddef.h>

#include "driver_types.hpp"
#include "qualifiers.hpp"

// Memory. Device memory is out of reach for host code except through these functions: a host
// dereference of a device pointer stops the program with an explanation.

/// Allocates device memory, aligned to 256 bytes and filled with 0xFF bytes (float NaN) because a
/// real device hands out arbitrary bytes.
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

namespace tilewise::simt {

/// From now on host code, too, may access the memory that a whole program gets from cudaMalloc(),
/// for libraries whose algorithms run on the host. The simulator does not see what the host writes
/// there.
bool share_device_memory();

/// From now on the simulator does not check whether host code has waited for kernels: some of that
/// code belongs to a library and does what a device does elsewhere. Returns true.
bool never_follow_host();

}  // namespace tilewise::simt

// The pointer may point to a const object, so only this kind of cast converts it.
template <class T>
cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return cudaMalloc((void**)pointer, bytes);
}

template <class T>
cudaError_t cudaMallocHost(T** pointer, size_t bytes) {
  return cudaMallocHost((void**)pointer, bytes);
}

/// Allocates host memory that kernels see, too, at the same address.
cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags);
template <class T>
cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
  return cudaHostAlloc((void**)pointer, bytes, flags);
}
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags);
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host);

/// Allocates memory of both host and device. The simulator does not distinguish where it resides.
cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal);
template <class T>
cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void**)pointer, bytes, flags);
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream = nullptr);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device,
                                 cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), bytes, flags);
}

// Allocation in stream order takes effect at once, since streams run at once what they are given.
cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream);
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void**)pointer, bytes, stream);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);
template <class T>
cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void**)pointer, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes_to_keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, size_t count);
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);

/// Allocates `height` rows of `width_bytes`, which start `*pitch` bytes apart.
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width_bytes, size_t height);
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width_bytes, size_t height) {
  return cudaMallocPitch((void**)pointer, pitch, width_bytes, height);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int byte, size_t width_bytes, size_t height);
cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int byte, size_t width_bytes,
                              size_t height, cudaStream_t stream = nullptr);
cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int byte, cudaExtent extent);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int byte, cudaExtent extent,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width_bytes, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parameters);
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parameters,
                                  cudaStream_t stream = nullptr);

namespace tilewise::simt {
cudaError_t copy_to_symbol(void* symbol, size_t symbol_bytes, const void* from, size_t bytes,
                           size_t offset, cudaStream_t stream = nullptr);
cudaError_t copy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t bytes,
                             size_t offset, cudaStream_t stream = nullptr);
/// From then on copies treat the address as one of device memory.
cudaError_t address_of_symbol(void** pointer, const void* symbol, size_t bytes);
}  // namespace tilewise::simt

/// Symbols are `__constant__` and `__device__` variables; a range beyond the end of one gives
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

template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind, cudaStream_t stream = nullptr) {
  return tilewise::simt::copy_to_symbol(const_cast<void*>(static_cast<const void*>(&symbol)),
                                        sizeof(T), from, bytes, offset, stream);
}

template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind, cudaStream_t stream = nullptr) {
  return tilewise::simt::copy_from_symbol(to, &symbol, sizeof(T), bytes, offset, stream);
}

template <class Pointer, class T>
cudaError_t cudaGetSymbolAddress(Pointer** pointer, const T& symbol) {
  return tilewise::simt::address_of_symbol((void**)pointer, &symbol, sizeof(T));
}

template <class T>
cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
  return *bytes = sizeof(T), cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);

// Streams and events. Work runs when it is issued, so every stream is always in order and idle.

cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id);
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   cudaStreamAttrValue* value);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID id,
                                   const cudaStreamAttrValue* value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                     unsigned flags = 0);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
/// Wall-clock milliseconds of the simulation between two recorded events; they say nothing about a
/// GPU.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop);
cudaError_t cudaDeviceSynchronize();

// The device is the GPU whose profile the simulator was given.

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

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaSetValidDevices(int* devices, int count);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* bus_id);
cudaError_t cudaDeviceGetPCIBusId(char* bus_id, int length, int device);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int from, int to);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }

/// Raises the dynamic shared memory that a launch may ask for. The simulator keeps the largest
/// value that any kernel asked for, rather than one value for each kernel.
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);

template <class R, class... P>
cudaError_t cudaFuncSetAttribute(R (*function)(P...), cudaFuncAttribute attribute, int value) {
  return cudaFuncSetAttribute(reinterpret_cast<const void*>(function), attribute, value);
}

/// Returns what the device allows any kernel. What a GPU's compiler would make of this kernel is
/// not known here, so it is reported to need no memory of its own and 32 registers, with which an
/// SM can still be full.
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function);

template <class R, class... P>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, R (*function)(P...)) {
  return cudaFuncGetAttributes(attributes, reinterpret_cast<const void*>(function));
}

/// Preferences that change no result.
template <class Kernel>
cudaError_t cudaFuncSetCacheConfig(Kernel*, cudaFuncCache) {
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetSharedMemConfig(Kernel*, cudaSharedMemConfig) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
  return *preference = cudaFuncCachePreferNone, cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) { return cudaSuccess; }
inline cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* width) {
  return *width = cudaSharedMemBankSizeFourByte, cudaSuccess;
}
inline cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Names that CUDA 13 has dropped.
inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
inline cudaError_t cudaThreadSetCacheConfig(cudaFuncCache) { return cudaSuccess; }

/// The blocks of a kernel that an SM holds at once, as far as threads and dynamic shared memory
/// limit them. The kernel's registers and its static shared memory are not known here.
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

/// Returns the largest block size, and as many blocks as the device holds at once.
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

template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Kernel* kernel,
                                                                   int block_size,
                                                                   size_t dynamic_shared_bytes,
                                                                   unsigned /*flags*/) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size,
                                                       dynamic_shared_bytes);
}

template <class Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* grid_size, int* block_size,
                                                        Kernel* kernel,
                                                        size_t dynamic_shared_bytes = 0,
                                                        int limit = 0, unsigned /*flags*/ = 0) {
  return cudaOccupancyMaxPotentialBlockSize(grid_size, block_size, kernel, dynamic_shared_bytes,
                                            limit);
}

/// Returns the block size with which an SM holds the most threads, and the largest of these if
/// there are several. A block needs `shared_bytes(threads)` of shared memory.
template <class Kernel, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* grid_size, int* block_size,
                                                           Kernel* kernel, SharedBytes shared_bytes,
                                                           int limit = 0) {
  cudaDeviceProp device;
  const cudaError_t error = cudaGetDeviceProperties(&device, 0);
  if (error != cudaSuccess) return error;
  int blocks = 0, most = 0;
  const int largest =
      limit > 0 && limit < device.maxThreadsPerBlock ? limit : device.maxThreadsPerBlock;
  for (int threads = largest; threads > 0; threads = (threads - 1) / 32 * 32) {
    const size_t bytes = static_cast<size_t>(shared_bytes(threads));
    if (bytes > device.sharedMemPerBlockOptin) continue;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, bytes);
    if (blocks * threads <= most) continue;
    most = blocks * threads;
    *block_size = threads;
    *grid_size = blocks * device.multiProcessorCount;
  }
  return most > 0 ? cudaSuccess : cudaErrorInvalidValue;
}

template <class Kernel>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, Kernel*, int blocks,
                                                      int /*block_size*/) {
  cudaDeviceProp device;
  const cudaError_t error = cudaGetDeviceProperties(&device, 0);
  if (error != cudaSuccess || blocks < 1) return cudaErrorInvalidValue;
  const size_t share = device.sharedMemPerMultiprocessor / static_cast<size_t>(blocks);
  *bytes = share < device.sharedMemPerBlock ? share : device.sharedMemPerBlock;
  return cudaSuccess;
}
