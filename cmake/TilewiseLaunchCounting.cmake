# The calls by which kernels are launched; grading/worker/launch_counter.hpp says what calls which.
set(TILEWISE_LAUNCH_SYMBOLS cudaLaunchKernel __cudaLaunchKernel cudaLaunchKernelExC
                            cudaLaunchCooperativeKernel)

# Sends them to that header's counting functions, as the builder does in a submission's module.
function(tilewise_count_launches target)
  foreach(symbol IN LISTS TILEWISE_LAUNCH_SYMBOLS)
    target_link_options(${target} PRIVATE LINKER:--wrap=${symbol})
  endforeach()
endfunction()
