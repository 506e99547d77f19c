#pragma once

// Is found before the CUDA Toolkit's header of this name, which all of Thrust's algorithms include.
// They run on the host here, on data that a kernel has made, and wait for the kernel as they do on
// a GPU. The simulator cannot tell from the host's reads in such a program that the host has not
// waited.

#include <cuda_runtime.h>
#include_next <thrust/system/cpp/detail/execution_policy.h>

namespace tilewise::simt {

inline const bool algorithms_come_to_managed_memory = never_follow_host();

}  // namespace tilewise::simt
