#pragma once

// Takes the place of the CUDA Toolkit's header of this name: what thrust::device_malloc() gives is
// memory of the device, as device vectors have it (../memory_resource.h).

#include <cuda_runtime.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include <thrust/system/detail/sequential/malloc_and_free.h>
#include <thrust/system_error.h>  // as the system `cuda` does, which programs rely on

THRUST_NAMESPACE_BEGIN
namespace system::cpp::detail {

template <class Derived>
void* malloc(execution_policy<Derived>&, std::size_t bytes) {
  void* device_memory = nullptr;  // what findings call it
  if (cudaMallocManaged(&device_memory, bytes) != cudaSuccess) return nullptr;
  return device_memory;
}

template <class Derived, class Pointer>
void free(execution_policy<Derived>&, Pointer memory) {
  cudaFree(const_cast<void*>(static_cast<const volatile void*>(thrust::raw_pointer_cast(memory))));
}

}  // namespace system::cpp::detail
THRUST_NAMESPACE_END
