# Calls of a submission that its module redirects to functions of Tilewise: those that launch
# kernels, and make streams for them (grading/worker/launch_counter.hpp says which functions call
# which), those that give the host access to device memory (grading/worker/host_access_counter.hpp),
# and those that are refused (grading/worker/refused_calls.hpp lists the same).
set(TILEWISE_LAUNCH_SYMBOLS cudaLaunchKernel __cudaLaunchKernel cudaLaunchKernelExC
                            cudaLaunchCooperativeKernel cudaStreamCreateWithFlags
                            cudaStreamCreateWithPriority)
set(TILEWISE_HOST_ACCESS_SYMBOLS
    cudaMemcpy cudaMemcpyAsync cudaMemcpy2D cudaMemcpy2DAsync cudaMemcpyFromSymbol
    cudaMemcpyFromSymbolAsync cudaMemcpyToSymbol cudaMemcpyToSymbolAsync cudaHostAlloc cudaMallocHost cudaHostRegister cudaMallocManaged
    __cudaRegisterManagedVar)
set(TILEWISE_REFUSED_SYMBOLS
    # Launches that are not counted.
    cudaLaunchKernel_ptsz __cudaLaunchKernel_ptsz cudaLaunchKernelExC_ptsz
    cudaLaunchCooperativeKernel_ptsz cudaGraphLaunch cudaGraphLaunch_ptsz cudaLaunchHostFunc
    cudaLaunchHostFunc_ptsz cudaStreamAddCallback cudaStreamAddCallback_ptsz
    # Copies that are not counted.
    cudaMemcpy3D cudaMemcpy3DAsync cudaMemcpy3DPeer cudaMemcpy3DPeerAsync cudaMemcpyPeer
    cudaMemcpyPeerAsync cudaMemcpyFromArray cudaMemcpyFromArrayAsync cudaMemcpy2DFromArray
    cudaMemcpy2DFromArrayAsync cudaMemcpyBatchAsync cudaMemcpy3DBatchAsync
    cudaMemcpyWithAttributesAsync cudaMemcpy3DWithAttributesAsync cudaMemcpy_ptds
    cudaMemcpyAsync_ptsz cudaMemcpy2D_ptds cudaMemcpy2DAsync_ptsz cudaMemcpy3D_ptds
    cudaMemcpy3DAsync_ptsz cudaMemcpyFromSymbol_ptds cudaMemcpyFromSymbolAsync_ptsz
    cudaMemcpyFromArray_ptds cudaMemcpyFromArrayAsync_ptsz cudaMemcpy2DFromArray_ptds
    cudaMemcpy2DFromArrayAsync_ptsz cudaMemcpy3DPeer_ptds cudaMemcpy3DPeerAsync_ptsz
    cudaMemcpyBatchAsync_ptsz cudaMemcpy3DBatchAsync_ptsz
    # Memory that the host or other processes can access.
    cudaMemPoolCreate cudaMallocFromPoolAsync cudaMallocFromPoolAsync_ptsz cudaMemPoolSetAccess
    cudaIpcGetMemHandle cudaIpcOpenMemHandle cudaMemPoolExportToShareableHandle
    cudaMemPoolExportPointer cudaImportExternalMemory
    # Functions that lead past all of these wrappers.
    cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion cudaGetDriverEntryPoint_ptsz
    cudaGetDriverEntryPointByVersion_ptsz cudaGetExportTable cudaLibraryLoadData
    cudaLibraryLoadFromFile)

# Wraps the same calls that the builder wraps in a submission's module.
function(tilewise_wrap_calls target)
  foreach(symbol IN LISTS TILEWISE_LAUNCH_SYMBOLS TILEWISE_HOST_ACCESS_SYMBOLS
                          TILEWISE_REFUSED_SYMBOLS)
    target_link_options(${target} PRIVATE LINKER:--wrap=${symbol})
  endforeach()
endfunction()
