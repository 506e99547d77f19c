#pragma once

#include "launch.hpp"

// Launches whose configuration is a structure with attributes.

namespace tilewise::simt {

/// Returns cudaErrorNotSupported for a call that cannot be simulated, and says so on the error
/// stream, once.
cudaError_t not_supported(const char* call);

/// @return an error if an attribute asks for something that is not available
inline cudaError_t configuration_of(const cudaLaunchConfig_t& of, LaunchConfiguration& launch) {
  launch.grid = of.gridDim;
  launch.block = of.blockDim;
  launch.dynamic_shared_bytes = of.dynamicSmemBytes;
  launch.stream = of.stream;
  for (unsigned i = 0; i < of.numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = of.attrs[i].val;
    if (of.attrs[i].id == cudaLaunchAttributeCooperative) launch.cooperative = value.cooperative;
    const auto& cluster = value.clusterDim;
    if (of.attrs[i].id == cudaLaunchAttributeClusterDimension &&
        cluster.x * cluster.y * cluster.z > 1) {
      return not_supported("a launch in clusters of blocks");
    }
  }
  return cudaSuccess;
}

}  // namespace tilewise::simt

template <class R, class... P, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, R (*kernel)(P...),
                               Arguments&&... arguments) {
  tilewise::simt::LaunchConfiguration launch{"a kernel", __builtin_FILE(), __builtin_LINE(), {}, {},
                                             0,          nullptr};
  const cudaError_t error = tilewise::simt::configuration_of(*configuration, launch);
  if (error != cudaSuccess) return error;
  tilewise::simt::of_kernel_files::ConfiguredLaunch<R (*)(P...), R(P...)>(
      kernel, kernel, launch)(static_cast<Arguments&&>(arguments)...);
  return cudaPeekAtLastError();
}

template <class Kernel>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, Kernel* kernel,
                                void** arguments, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE()) {
  tilewise::simt::LaunchConfiguration launch{nullptr, file, line, {}, {}, 0, nullptr};
  const cudaError_t error = tilewise::simt::configuration_of(*configuration, launch);
  if (error != cudaSuccess) return error;
  return tilewise::simt::launch_address(tilewise::simt::kernel_address(kernel), launch, arguments);
}

// CUDA functions that cannot be simulated: for other processes and devices, for interchange with
// graphics, and for code that is loaded at run-time. Their arguments do not matter.
#define TILEWISE_NOT_SIMULATED(name)             \
  template <class... Arguments>                  \
  cudaError_t name(Arguments&&...) {             \
    return tilewise::simt::not_supported(#name); \
  }
// clang-format off
TILEWISE_NOT_SIMULATED(cudaIpcGetEventHandle) TILEWISE_NOT_SIMULATED(cudaIpcOpenEventHandle)
TILEWISE_NOT_SIMULATED(cudaIpcGetMemHandle) TILEWISE_NOT_SIMULATED(cudaIpcOpenMemHandle)
TILEWISE_NOT_SIMULATED(cudaIpcCloseMemHandle) TILEWISE_NOT_SIMULATED(cudaImportExternalMemory)
TILEWISE_NOT_SIMULATED(cudaExternalMemoryGetMappedBuffer)
TILEWISE_NOT_SIMULATED(cudaExternalMemoryGetMappedMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaDestroyExternalMemory)
TILEWISE_NOT_SIMULATED(cudaImportExternalSemaphore)
TILEWISE_NOT_SIMULATED(cudaSignalExternalSemaphoresAsync)
TILEWISE_NOT_SIMULATED(cudaWaitExternalSemaphoresAsync)
TILEWISE_NOT_SIMULATED(cudaDestroyExternalSemaphore)
TILEWISE_NOT_SIMULATED(cudaMallocMipmappedArray) TILEWISE_NOT_SIMULATED(cudaGetMipmappedArrayLevel)
TILEWISE_NOT_SIMULATED(cudaFreeMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaMemPoolExportToShareableHandle)
TILEWISE_NOT_SIMULATED(cudaMemPoolImportFromShareableHandle)
TILEWISE_NOT_SIMULATED(cudaMemPoolExportPointer) TILEWISE_NOT_SIMULATED(cudaMemPoolImportPointer)
TILEWISE_NOT_SIMULATED(cudaMemRangeGetAttribute) TILEWISE_NOT_SIMULATED(cudaMemRangeGetAttributes)
TILEWISE_NOT_SIMULATED(cudaGraphicsUnregisterResource)
TILEWISE_NOT_SIMULATED(cudaGraphicsMapResources) TILEWISE_NOT_SIMULATED(cudaGraphicsUnmapResources)
TILEWISE_NOT_SIMULATED(cudaGraphicsResourceGetMappedPointer)
TILEWISE_NOT_SIMULATED(cudaGraphicsSubResourceGetMappedArray)
TILEWISE_NOT_SIMULATED(cudaGraphicsResourceSetMapFlags) TILEWISE_NOT_SIMULATED(cudaUserObjectCreate)
TILEWISE_NOT_SIMULATED(cudaUserObjectRelease) TILEWISE_NOT_SIMULATED(cudaUserObjectRetain)
TILEWISE_NOT_SIMULATED(cudaGraphRetainUserObject) TILEWISE_NOT_SIMULATED(cudaGraphReleaseUserObject)
TILEWISE_NOT_SIMULATED(cudaGraphConditionalHandleCreate) TILEWISE_NOT_SIMULATED(cudaGraphAddNode)
TILEWISE_NOT_SIMULATED(cudaGraphDebugDotPrint)
TILEWISE_NOT_SIMULATED(cudaOccupancyMaxActiveClusters)
TILEWISE_NOT_SIMULATED(cudaOccupancyMaxPotentialClusterSize)
TILEWISE_NOT_SIMULATED(cudaGetDriverEntryPoint)
TILEWISE_NOT_SIMULATED(cudaGetDriverEntryPointByVersion) TILEWISE_NOT_SIMULATED(cudaGetExportTable)
TILEWISE_NOT_SIMULATED(cudaGetFuncBySymbol) TILEWISE_NOT_SIMULATED(cudaGetKernel)
TILEWISE_NOT_SIMULATED(cudaLibraryLoadData) TILEWISE_NOT_SIMULATED(cudaLibraryLoadFromFile)
TILEWISE_NOT_SIMULATED(cudaLibraryUnload) TILEWISE_NOT_SIMULATED(cudaLibraryGetKernel)
TILEWISE_NOT_SIMULATED(cudaLibraryGetGlobal) TILEWISE_NOT_SIMULATED(cudaMemcpyBatchAsync)
TILEWISE_NOT_SIMULATED(cudaMemcpy3DBatchAsync) TILEWISE_NOT_SIMULATED(cudaMemPrefetchBatchAsync)
TILEWISE_NOT_SIMULATED(cudaArrayGetMemoryRequirements) TILEWISE_NOT_SIMULATED(cudaArrayGetPlane)
TILEWISE_NOT_SIMULATED(cudaArrayGetSparseProperties)
TILEWISE_NOT_SIMULATED(cudaDeviceFlushGPUDirectRDMAWrites)
TILEWISE_NOT_SIMULATED(cudaDeviceGetGraphMemAttribute)
TILEWISE_NOT_SIMULATED(cudaDeviceGetHostAtomicCapabilities)
TILEWISE_NOT_SIMULATED(cudaDeviceGetNvSciSyncAttributes)
TILEWISE_NOT_SIMULATED(cudaDeviceGetP2PAtomicCapabilities)
TILEWISE_NOT_SIMULATED(cudaDeviceGetTexture1DLinearMaxWidth)
TILEWISE_NOT_SIMULATED(cudaDeviceGraphMemTrim)
TILEWISE_NOT_SIMULATED(cudaDeviceRegisterAsyncNotification)
TILEWISE_NOT_SIMULATED(cudaDeviceSetGraphMemAttribute)
TILEWISE_NOT_SIMULATED(cudaDeviceUnregisterAsyncNotification)
TILEWISE_NOT_SIMULATED(cudaFuncGetParamInfo) TILEWISE_NOT_SIMULATED(cudaGetChannelDesc)
TILEWISE_NOT_SIMULATED(cudaGetSurfaceObjectResourceDesc)
TILEWISE_NOT_SIMULATED(cudaGetTextureObjectResourceViewDesc)
TILEWISE_NOT_SIMULATED(cudaGraphAddExternalSemaphoresSignalNode)
TILEWISE_NOT_SIMULATED(cudaGraphAddExternalSemaphoresWaitNode)
TILEWISE_NOT_SIMULATED(cudaGraphAddMemcpyNodeFromSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphAddMemcpyNodeToSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphChildGraphNodeGetGraph) TILEWISE_NOT_SIMULATED(cudaGraphDestroyNode)
TILEWISE_NOT_SIMULATED(cudaGraphEventRecordNodeGetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphEventRecordNodeSetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphEventWaitNodeGetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphEventWaitNodeSetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphExecChildGraphNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExecEventRecordNodeSetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphExecEventWaitNodeSetEvent)
TILEWISE_NOT_SIMULATED(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExecGetFlags)
TILEWISE_NOT_SIMULATED(cudaGraphExecMemcpyNodeSetParamsFromSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphExecMemcpyNodeSetParamsToSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphExecNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExternalSemaphoresSignalNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExternalSemaphoresSignalNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExternalSemaphoresWaitNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphExternalSemaphoresWaitNodeSetParams)
TILEWISE_NOT_SIMULATED(cudaGraphGetEdges) TILEWISE_NOT_SIMULATED(cudaGraphHostNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphKernelNodeCopyAttributes)
TILEWISE_NOT_SIMULATED(cudaGraphKernelNodeGetAttribute)
TILEWISE_NOT_SIMULATED(cudaGraphKernelNodeSetAttribute)
TILEWISE_NOT_SIMULATED(cudaGraphMemAllocNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphMemFreeNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphMemcpyNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphMemcpyNodeSetParamsFromSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphMemcpyNodeSetParamsToSymbol)
TILEWISE_NOT_SIMULATED(cudaGraphMemsetNodeGetParams)
TILEWISE_NOT_SIMULATED(cudaGraphNodeGetDependentNodes)
TILEWISE_NOT_SIMULATED(cudaGraphNodeSetParams) TILEWISE_NOT_SIMULATED(cudaGraphRemoveDependencies)
TILEWISE_NOT_SIMULATED(cudaGraphicsResourceGetMappedMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaKernelSetAttributeForDevice)
TILEWISE_NOT_SIMULATED(cudaLibraryEnumerateKernels)
TILEWISE_NOT_SIMULATED(cudaLibraryGetKernelCount) TILEWISE_NOT_SIMULATED(cudaLibraryGetManaged)
TILEWISE_NOT_SIMULATED(cudaLibraryGetUnifiedFunction) TILEWISE_NOT_SIMULATED(cudaLogsCurrent)
TILEWISE_NOT_SIMULATED(cudaLogsDumpToFile) TILEWISE_NOT_SIMULATED(cudaLogsDumpToMemory)
TILEWISE_NOT_SIMULATED(cudaLogsRegisterCallback) TILEWISE_NOT_SIMULATED(cudaLogsUnregisterCallback)
TILEWISE_NOT_SIMULATED(cudaMemDiscardAndPrefetchBatchAsync)
TILEWISE_NOT_SIMULATED(cudaMemDiscardBatchAsync) TILEWISE_NOT_SIMULATED(cudaMemGetDefaultMemPool)
TILEWISE_NOT_SIMULATED(cudaMemGetMemPool) TILEWISE_NOT_SIMULATED(cudaMemSetMemPool)
TILEWISE_NOT_SIMULATED(cudaMemcpyArrayToArray) TILEWISE_NOT_SIMULATED(cudaMemcpyFromArrayAsync)
TILEWISE_NOT_SIMULATED(cudaMemcpyToArrayAsync)
TILEWISE_NOT_SIMULATED(cudaMipmappedArrayGetMemoryRequirements)
TILEWISE_NOT_SIMULATED(cudaMipmappedArrayGetSparseProperties)
TILEWISE_NOT_SIMULATED(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags)
    // clang-format on

    /// Returns the name as in the source, if the program has taken the kernel's address.
    template <class Kernel>
    cudaError_t cudaFuncGetName(const char** name, Kernel* function) {
  const void* const address = tilewise::simt::kernel_address(function);
  for (const auto* kernel = tilewise::simt::addressed_kernels; kernel; kernel = kernel->next) {
    if (kernel->function == address) return *name = kernel->name, cudaSuccess;
  }
  return cudaErrorInvalidDeviceFunction;
}
