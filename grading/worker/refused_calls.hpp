/// \file
/// Calls of the run-time that a cuda module is refused, because launch_counter.hpp and
/// host_access_counter.hpp would not count what they do. No stage needs them. They are wrapped as
/// launches are, by cmake/TilewiseWrappedCalls.cmake, which lists the same calls. A pointer to such
/// a function also leads to the definition here.
///
/// Defines symbols with external linkage, so include it only once per module (binding.hpp does).
#pragma once

#include <cuda_runtime.h>

extern "C" {

// Callers pass arguments, which these functions ignore. The functions with names in _ptds and _ptsz
// serve streams that are each thread's own.
#define TILEWISE_REFUSE(symbol) \
  cudaError_t __wrap_##symbol() { return cudaErrorNotSupported; }
// Launches that nobody counts.
TILEWISE_REFUSE(cudaLaunchKernel_ptsz)
TILEWISE_REFUSE(__cudaLaunchKernel_ptsz)
TILEWISE_REFUSE(cudaLaunchKernelExC_ptsz)
TILEWISE_REFUSE(cudaLaunchCooperativeKernel_ptsz)
TILEWISE_REFUSE(cudaGraphLaunch)
TILEWISE_REFUSE(cudaGraphLaunch_ptsz)
TILEWISE_REFUSE(cudaLaunchHostFunc)
TILEWISE_REFUSE(cudaLaunchHostFunc_ptsz)
TILEWISE_REFUSE(cudaStreamAddCallback)
TILEWISE_REFUSE(cudaStreamAddCallback_ptsz)
// Copies that nobody counts.
TILEWISE_REFUSE(cudaMemcpy3D)
TILEWISE_REFUSE(cudaMemcpy3DAsync)
TILEWISE_REFUSE(cudaMemcpy3DPeer)
TILEWISE_REFUSE(cudaMemcpy3DPeerAsync)
TILEWISE_REFUSE(cudaMemcpyPeer)
TILEWISE_REFUSE(cudaMemcpyPeerAsync)
TILEWISE_REFUSE(cudaMemcpyFromArray)
TILEWISE_REFUSE(cudaMemcpyFromArrayAsync)
TILEWISE_REFUSE(cudaMemcpy2DFromArray)
TILEWISE_REFUSE(cudaMemcpy2DFromArrayAsync)
TILEWISE_REFUSE(cudaMemcpyBatchAsync)
TILEWISE_REFUSE(cudaMemcpy3DBatchAsync)
TILEWISE_REFUSE(cudaMemcpyWithAttributesAsync)
TILEWISE_REFUSE(cudaMemcpy3DWithAttributesAsync)
TILEWISE_REFUSE(cudaMemcpy_ptds)
TILEWISE_REFUSE(cudaMemcpyAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpy2D_ptds)
TILEWISE_REFUSE(cudaMemcpy2DAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpy3D_ptds)
TILEWISE_REFUSE(cudaMemcpy3DAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpyFromSymbol_ptds)
TILEWISE_REFUSE(cudaMemcpyFromSymbolAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpyFromArray_ptds)
TILEWISE_REFUSE(cudaMemcpyFromArrayAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpy2DFromArray_ptds)
TILEWISE_REFUSE(cudaMemcpy2DFromArrayAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpy3DPeer_ptds)
TILEWISE_REFUSE(cudaMemcpy3DPeerAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpyBatchAsync_ptsz)
TILEWISE_REFUSE(cudaMemcpy3DBatchAsync_ptsz)
// Memory that the host or other processes can access.
TILEWISE_REFUSE(cudaMemPoolCreate)
TILEWISE_REFUSE(cudaMallocFromPoolAsync)
TILEWISE_REFUSE(cudaMallocFromPoolAsync_ptsz)
TILEWISE_REFUSE(cudaMemPoolSetAccess)
TILEWISE_REFUSE(cudaIpcGetMemHandle)
TILEWISE_REFUSE(cudaIpcOpenMemHandle)
TILEWISE_REFUSE(cudaMemPoolExportToShareableHandle)
TILEWISE_REFUSE(cudaMemPoolExportPointer)
TILEWISE_REFUSE(cudaImportExternalMemory)
// Calls that would evade all of this.
TILEWISE_REFUSE(cudaGetDriverEntryPoint)
TILEWISE_REFUSE(cudaGetDriverEntryPointByVersion)
TILEWISE_REFUSE(cudaGetDriverEntryPoint_ptsz)
TILEWISE_REFUSE(cudaGetDriverEntryPointByVersion_ptsz)
TILEWISE_REFUSE(cudaGetExportTable)
TILEWISE_REFUSE(cudaLibraryLoadData)
TILEWISE_REFUSE(cudaLibraryLoadFromFile)
#undef TILEWISE_REFUSE

}  // extern "C"
