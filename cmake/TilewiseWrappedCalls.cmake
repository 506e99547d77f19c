# Calls of a submission that its module sends to functions of ours: those by which kernels are
# launched (grading/worker/launch_counter.hpp says what calls which), and those by which the host gets
# at what is on the device (grading/worker/host_access_counter.hpp).
set(TILEWISE_LAUNCH_SYMBOLS cudaLaunchKernel __cudaLaunchKernel cudaLaunchKernelExC
                            cudaLaunchCooperativeKernel)
set(TILEWISE_HOST_ACCESS_SYMBOLS
    cudaMemcpy cudaMemcpyAsync cudaMemcpy2D cudaMemcpy2DAsync cudaMemcpyFromSymbol
    cudaMemcpyFromSymbolAsync cudaMemcpy3D cudaMemcpy3DAsync cudaHostAlloc cudaMallocHost
    cudaHostRegister cudaMallocManaged cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion
    cudaMemcpy_ptds cudaMemcpyAsync_ptsz cudaMemcpy2D_ptds cudaMemcpy2DAsync_ptsz
    cudaMemcpy3D_ptds cudaMemcpy3DAsync_ptsz cudaMemcpyFromSymbol_ptds
    cudaMemcpyFromSymbolAsync_ptsz)

# Wraps the launches of a target of our own.
function(tilewise_count_launches target)
  foreach(symbol IN LISTS TILEWISE_LAUNCH_SYMBOLS)
    target_link_options(${target} PRIVATE LINKER:--wrap=${symbol})
  endforeach()
endfunction()

# Wraps what the builder does in a submission's module.
function(tilewise_wrap_calls target)
  tilewise_count_launches(${target})
  foreach(symbol IN LISTS TILEWISE_HOST_ACCESS_SYMBOLS)
    target_link_options(${target} PRIVATE LINKER:--wrap=${symbol})
  endforeach()
endfunction()
