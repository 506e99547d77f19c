#pragma once

#include <stddef.h>

#include "driver_enums.hpp"
#include "errors.hpp"
#include "vector_types.hpp"

// CUDA's structures, with CUDA's members (driver_types.h, texture_types.h). Only the simulator's
// run-time knows what the handles refer to.

using cudaStream_t = struct CUstream_st*;
using cudaEvent_t = struct CUevent_st*;
using cudaArray_t = struct cudaArray*;
using cudaArray_const_t = const struct cudaArray*;
using cudaMipmappedArray_t = struct cudaMipmappedArray*;
using cudaMipmappedArray_const_t = const struct cudaMipmappedArray*;
using cudaGraph_t = struct CUgraph_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;
using cudaGraphDeviceNode_t = struct CUgraphDeviceUpdatableNode_st*;
using cudaGraphConditionalHandle = unsigned long long;
using cudaMemPool_t = struct CUmemPoolHandle_st*;
using cudaUserObject_t = struct CUuserObject_st*;
using cudaExternalMemory_t = struct CUexternalMemory_st*;
using cudaExternalSemaphore_t = struct CUexternalSemaphore_st*;
using cudaFunction_t = struct CUfunc_st*;
using cudaKernel_t = struct CUkern_st*;
using cudaLibrary_t = struct CUlib_st*;
using cudaGraphicsResource_t = struct cudaGraphicsResource*;
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
using cudaHostFn_t = void (*)(void* data);
using cudaStreamCallback_t = void (*)(cudaStream_t stream, cudaError_t status, void* data);
using cudaOutputMode_t = int;

#define CU_UUID_HAS_BEEN_DEFINED  // the toolkit's cuda.h checks for it
struct CUuuid_st {
  char bytes[16];
};
using CUuuid = CUuuid_st;
using cudaUUID_t = CUuuid_st;

// Streams that exist without being created.
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))

// clang-format off
constexpr unsigned cudaStreamDefault = 0, cudaStreamNonBlocking = 1,
    cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4,
    cudaEventRecordDefault = 0, cudaEventRecordExternal = 1,
    cudaEventWaitDefault = 0, cudaEventWaitExternal = 1,
    cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2,
    cudaHostRegisterIoMemory = 4, cudaHostRegisterReadOnly = 8,
    cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4,
    cudaPeerAccessDefault = 0, cudaIpcMemLazyEnablePeerAccess = 1,
    cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
    cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceScheduleMask = 7,
    cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16, cudaDeviceSyncMemops = 128,
    cudaDeviceMask = 255, cudaInitDeviceFlagsAreValid = 1,
    cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1,
    cudaArrayDefault = 0, cudaArrayLayered = 1, cudaArraySurfaceLoadStore = 2, cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8, cudaArrayColorAttachment = 32, cudaArraySparse = 64,
    cudaArrayDeferredMapping = 128,
    cudaGraphKernelNodePortDefault = 0, cudaGraphKernelNodePortProgrammatic = 1,
    cudaGraphKernelNodePortLaunchCompletion = 2;
// clang-format on
constexpr int cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2;

struct cudaDeviceProp {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int multiProcessorCount, integrated, canMapHostMemory;
  int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
  int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
  int maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
  int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
  int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess;
  int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported;
  // Members that CUDA 13 leaves out and older programs read. Clocks are in kHz.
  int clockRate, memoryClockRate, computeMode, deviceOverlap, kernelExecTimeoutEnabled;
  int singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};

struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void* devicePointer;
  void* hostPointer;
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
  int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
};

// Places and extents in arrays and pitched memory.

struct cudaChannelFormatDesc {
  int x, y, z, w;  ///< bits of each channel
  cudaChannelFormatKind f;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t x, size_t y) {
  return {pointer, pitch, x, y};
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return {width, height, depth};
}
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};
struct cudaMemcpy3DPeerParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};

// Textures and surfaces.

struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
  unsigned flags;
};
struct cudaResourceViewDesc {
  cudaResourceViewFormat format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization, seamlessCubemap;
};

// Memory pools and memory locations.

struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
struct cudaMemAccessDesc {
  cudaMemLocation location;
  cudaMemAccessFlags flags;
};
struct cudaMemPoolProps {
  cudaMemAllocationType allocType;
  cudaMemAllocationHandleType handleTypes;
  cudaMemLocation location;
  void* win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
};
struct cudaMemPoolPtrExportData {
  unsigned char reserved[64];
};

// Launches whose configuration is a structure.

struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
struct cudaLaunchMemSyncDomainMap {
  unsigned char default_, remote;
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  int cooperative;
  cudaSynchronizationPolicy syncPolicy;
  struct {
    unsigned x, y, z;
  } clusterDim;
  cudaClusterSchedulingPolicy clusterSchedulingPolicyPreference;
  int programmaticStreamSerializationAllowed;
  struct {
    cudaEvent_t event;
    int flags, triggerAtBlockStart;
  } programmaticEvent;
  int priority;
  cudaLaunchMemSyncDomainMap memSyncDomainMap;
  cudaLaunchMemSyncDomain memSyncDomain;
  struct {
    cudaEvent_t event;
    int flags;
  } launchCompletionEvent;
  unsigned sharedMemCarveout;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
using cudaStreamAttrID = cudaLaunchAttributeID;
using cudaStreamAttrValue = cudaLaunchAttributeValue;
using cudaKernelNodeAttrID = cudaLaunchAttributeID;
using cudaKernelNodeAttrValue = cudaLaunchAttributeValue;
#define cudaStreamAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaStreamAttributeSynchronizationPolicy cudaLaunchAttributeSynchronizationPolicy
#define cudaStreamAttributePriority cudaLaunchAttributePriority
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority

// Graphs.

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  size_t accessDescCount, bytesize;
  void* dptr;
};
struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaGraphInstantiateParams {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  cudaGraphInstantiateResult result_out;
};

// Handles for other processes, with which the simulator cannot share anything.

struct cudaIpcEventHandle_t {
  char reserved[64];
};
struct cudaIpcMemHandle_t {
  char reserved[64];
};
