#pragma once

// Stands before the CUDA Toolkit's header of this name, which all of Thrust's algorithms come with.
// They run on the host here, with what a kernel has made, and wait for it as they do on a GPU: none
// of what the host reads in such a program tells that it has not waited.

#include <cuda_runtime.h>
#include_next <thrust/system/cpp/detail/execution_policy.h>

namespace tilewise::simt {

inline const bool algorithms_come_to_managed_memory = never_follow_host();

}  // namespace tilewise::simt
