#pragma once

// Takes the place of the CUDA Toolkit's header of this name. Thrust's algorithms run on the host
// here, by its system `cpp`; what its device vectors hold has to be memory of the device as well,
// so that kernels can work on it. Managed memory is both.

#include <cuda_runtime.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h>  // as the system `cuda` does, which programs rely on

#include <new>

namespace tilewise::simt {

class ManagedMemory final : public thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* device_vector = nullptr;  // what findings call it
    if (cudaMallocManaged(&device_vector, bytes) != cudaSuccess) throw std::bad_alloc();
    return device_vector;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFree(memory); }
};

}  // namespace tilewise::simt

THRUST_NAMESPACE_BEGIN
namespace system::cpp {

using memory_resource =
    thrust::mr::fancy_pointer_resource<tilewise::simt::ManagedMemory, thrust::cpp::pointer<void>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<tilewise::simt::ManagedMemory,
                                       thrust::cpp::universal_pointer<void>>;
using universal_host_pinned_memory_resource = universal_memory_resource;

}  // namespace system::cpp
THRUST_NAMESPACE_END
