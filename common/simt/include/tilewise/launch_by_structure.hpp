#pragma once

#include "launch.hpp"

// Launches whose configuration is a structure with attributes.

namespace tilewise::simt {

/// cudaErrorNotSupported, for a call that cannot be simulated; says so on the error stream, once.
cudaError_t not_supported(const char* call);

/// @return what an attribute asks for that there is not
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
  tilewise::simt::LaunchConfiguration launch{"a kernel", __builtin_FILE(), __builtin_LINE()};
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
  tilewise::simt::LaunchConfiguration launch{nullptr, file, line};
  const cudaError_t error = tilewise::simt::configuration_of(*configuration, launch);
  if (error != cudaSuccess) return error;
  return tilewise::simt::launch_address(tilewise::simt::kernel_address(kernel), launch, arguments);
}

// What CUDA has and cannot be simulated: other processes and devices, interchange with graphics,
// and code that is loaded at run-time. Their arguments do not matter.
#define TILEWISE_NOT_SIMULATED(name)             \
  template <class... Arguments>                  \
  cudaError_t name(Arguments&&...) {             \
    return tilewise::simt::not_supported(#name); \
  }
TILEWISE_NOT_SIMULATED(cudaIpcGetEventHandle)
TILEWISE_NOT_SIMULATED(cudaIpcOpenEventHandle)
TILEWISE_NOT_SIMULATED(cudaIpcGetMemHandle)
TILEWISE_NOT_SIMULATED(cudaIpcOpenMemHandle)
TILEWISE_NOT_SIMULATED(cudaIpcCloseMemHandle)
TILEWISE_NOT_SIMULATED(cudaImportExternalMemory)
TILEWISE_NOT_SIMULATED(cudaExternalMemoryGetMappedBuffer)
TILEWISE_NOT_SIMULATED(cudaExternalMemoryGetMappedMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaDestroyExternalMemory)
TILEWISE_NOT_SIMULATED(cudaImportExternalSemaphore)
TILEWISE_NOT_SIMULATED(cudaSignalExternalSemaphoresAsync)
TILEWISE_NOT_SIMULATED(cudaWaitExternalSemaphoresAsync)
TILEWISE_NOT_SIMULATED(cudaDestroyExternalSemaphore)
TILEWISE_NOT_SIMULATED(cudaMallocMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaGetMipmappedArrayLevel)
TILEWISE_NOT_SIMULATED(cudaFreeMipmappedArray)
TILEWISE_NOT_SIMULATED(cudaMemPoolExportToShareableHandle)
TILEWISE_NOT_SIMULATED(cudaMemPoolImportFromShareableHandle)
TILEWISE_NOT_SIMULATED(cudaMemPoolExportPointer)
TILEWISE_NOT_SIMULATED(cudaMemPoolImportPointer)
TILEWISE_NOT_SIMULATED(cudaMemRangeGetAttribute)
TILEWISE_NOT_SIMULATED(cudaMemRangeGetAttributes)
TILEWISE_NOT_SIMULATED(cudaGraphicsUnregisterResource)
TILEWISE_NOT_SIMULATED(cudaGraphicsMapResources)
TILEWISE_NOT_SIMULATED(cudaGraphicsUnmapResources)
TILEWISE_NOT_SIMULATED(cudaGraphicsResourceGetMappedPointer)
TILEWISE_NOT_SIMULATED(cudaGraphicsSubResourceGetMappedArray)
TILEWISE_NOT_SIMULATED(cudaGraphicsResourceSetMapFlags)
TILEWISE_NOT_SIMULATED(cudaUserObjectCreate)
TILEWISE_NOT_SIMULATED(cudaUserObjectRelease)
TILEWISE_NOT_SIMULATED(cudaUserObjectRetain)
TILEWISE_NOT_SIMULATED(cudaGraphRetainUserObject)
TILEWISE_NOT_SIMULATED(cudaGraphReleaseUserObject)
TILEWISE_NOT_SIMULATED(cudaGraphConditionalHandleCreate)
TILEWISE_NOT_SIMULATED(cudaGraphAddNode)
TILEWISE_NOT_SIMULATED(cudaGraphDebugDotPrint)
TILEWISE_NOT_SIMULATED(cudaOccupancyMaxActiveClusters)
TILEWISE_NOT_SIMULATED(cudaOccupancyMaxPotentialClusterSize)
TILEWISE_NOT_SIMULATED(cudaGetDriverEntryPoint)
TILEWISE_NOT_SIMULATED(cudaGetDriverEntryPointByVersion)
TILEWISE_NOT_SIMULATED(cudaGetExportTable)
TILEWISE_NOT_SIMULATED(cudaGetFuncBySymbol)
TILEWISE_NOT_SIMULATED(cudaGetKernel)
TILEWISE_NOT_SIMULATED(cudaLibraryLoadData)
TILEWISE_NOT_SIMULATED(cudaLibraryLoadFromFile)
TILEWISE_NOT_SIMULATED(cudaLibraryUnload)
TILEWISE_NOT_SIMULATED(cudaLibraryGetKernel)
TILEWISE_NOT_SIMULATED(cudaLibraryGetGlobal)
TILEWISE_NOT_SIMULATED(cudaMemcpyBatchAsync)
TILEWISE_NOT_SIMULATED(cudaMemcpy3DBatchAsync)
TILEWISE_NOT_SIMULATED(cudaMemPrefetchBatchAsync)
#undef TILEWISE_NOT_SIMULATED

/// As the source has it, where the program has taken the kernel's address.
template <class Kernel>
cudaError_t cudaFuncGetName(const char** name, Kernel* function) {
  const void* const address = tilewise::simt::kernel_address(function);
  for (const auto* kernel = tilewise::simt::addressed_kernels; kernel; kernel = kernel->next) {
    if (kernel->function == address) return *name = kernel->name, cudaSuccess;
  }
  return cudaErrorInvalidDeviceFunction;
}
