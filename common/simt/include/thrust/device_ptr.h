#pragma once

// Is found before the CUDA Toolkit's header of this name, through which programs hand memory of
// cudaMalloc() to Thrust's algorithms. Those run on the host here, so the host may access what such
// a program allocates.

#include <cuda_runtime.h>
#include_next <thrust/device_ptr.h>

namespace tilewise::simt {

inline const bool algorithms_reach_device_memory = share_device_memory();

}  // namespace tilewise::simt
