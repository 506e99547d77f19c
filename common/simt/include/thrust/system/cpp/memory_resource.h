#pragma once

// Replaces the CUDA Toolkit's header of this name. Thrust's algorithms run on the host here, by its
// system `cpp`. The contents of its device vectors have to be device memory as well, so that
// kernels can work on them. Managed memory is both.

#include <cuda_runtime.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system_error.h>  // programs rely on it, since the system `cuda` includes it

#include <new>

namespace tilewise::simt {

class ManagedMemory final : public thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* device_vector = nullptr;  // the name that findings give it
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
