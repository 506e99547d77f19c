#pragma once

// Replaces the CUDA Toolkit's header of this name: thrust::device_malloc() returns device memory of
// the same kind as device vectors have (../memory_resource.h).

#include <cuda_runtime.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <thrust/system/detail/sequential/malloc_and_free.h>
#include <thrust/system_error.h>  // programs rely on it, since the system `cuda` includes it

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived>
void* malloc(execution_policy<Derived>&, std::size_t bytes) {
  void* device_memory = nullptr;  // the name that findings give it
  if (cudaMallocManaged(&device_memory, bytes) != cudaSuccess) return nullptr;
  return device_memory;
}

template <class Derived, class Pointer>
void free(execution_policy<Derived>&, Pointer memory) {
  cudaFree(const_cast<void*>(static_cast<const volatile void*>(thrust::raw_pointer_cast(memory))));
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
