#pragma once

#include "driver_types.hpp"

// Memory and semaphores of other interfaces, for instance Vulkan. Programs fill in these structures
// before they are told that this cannot be simulated.

/// The handle of an object of another interface; its type says which member is used.
struct TilewiseExternalHandle {
  void* handle;
  const void* name;
};

struct cudaExternalMemoryHandleDesc {
  cudaExternalMemoryHandleType type;
  union {
    int fd;
    TilewiseExternalHandle win32;
    const void* nvSciBufObject;
  } handle;
  unsigned long long size;
  unsigned flags;
};

struct cudaExternalMemoryBufferDesc {
  unsigned long long offset, size;
  unsigned flags;
};

struct cudaExternalMemoryMipmappedArrayDesc {
  unsigned long long offset;
  cudaChannelFormatDesc formatDesc;
  cudaExtent extent;
  unsigned flags, numLevels;
};

struct cudaExternalSemaphoreHandleDesc {
  cudaExternalSemaphoreHandleType type;
  union {
    int fd;
    TilewiseExternalHandle win32;
    const void* nvSciSyncObj;
  } handle;
  unsigned flags;
};

struct cudaExternalSemaphoreSignalParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
    } keyedMutex;
  } params;
  unsigned flags;
};

struct cudaExternalSemaphoreWaitParams {
  struct {
    struct {
      unsigned long long value;
    } fence;
    union {
      void* fence;
      unsigned long long reserved;
    } nvSciSync;
    struct {
      unsigned long long key;
      unsigned timeoutMs;
    } keyedMutex;
  } params;
  unsigned flags;
};
