// One warp, one access of a given pattern; see the header. A request for a pattern on shared memory
// stands between a fill and, for stores, a sum of all of it, which keep the compiler from dropping
// what it could otherwise prove to be unused.

#include "common/simt/validation/access_patterns.hpp"

namespace tilewise::simt {
namespace {

constexpr int warp_size = 32;

template <class Element>
__device__ Element filled_with(float value);
template <>
__device__ float filled_with(float value) {
  return value;
}
template <>
__device__ float2 filled_with(float value) {
  return make_float2(value, value);
}
template <>
__device__ float4 filled_with(float value) {
  return make_float4(value, value, value, value);
}

/// @param memory shared, (floats): written without bank conflicts
__device__ void fill(float* memory, int floats) {
  for (int i = threadIdx.x; i < floats; i += warp_size) memory[i] = static_cast<float>(i);
}

template <class Element>
__global__ void load_shared(const int* elements, Element* out) {
  constexpr int floats = pattern_elements * sizeof(Element) / sizeof(float);
  __shared__ __align__(16) float memory[floats];
  fill(memory, floats);
  __syncthreads();
  const int element = elements[threadIdx.x];
  Element value = {};
  if (element >= 0) value = reinterpret_cast<const Element*>(memory)[element];
  out[threadIdx.x] = value;
}

template <class Element>
__global__ void store_shared(const int* elements, float* out) {
  constexpr int floats = pattern_elements * sizeof(Element) / sizeof(float);
  __shared__ __align__(16) float memory[floats];
  fill(memory, floats);
  __syncthreads();
  const int element = elements[threadIdx.x];
  const Element value = filled_with<Element>(element);  // the same from all lanes that share one
  if (element >= 0) reinterpret_cast<Element*>(memory)[element] = value;
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < floats; i += warp_size) sum += memory[i];
  out[threadIdx.x] = sum;
}

template <class Element>
__global__ void load_global(const int* elements, const Element* memory, Element* out) {
  const int element = elements[threadIdx.x];
  Element value = {};
  if (element >= 0) value = memory[element];
  out[threadIdx.x] = value;
}

template <class Element>
__global__ void store_global(const int* elements, Element* memory) {
  const int element = elements[threadIdx.x];
  const Element value = filled_with<Element>(element);
  if (element >= 0) memory[element] = value;
}

template <class Element>
cudaError_t launch(Access access, const int* elements, void* memory, void* out) {
  switch (access) {
    case Access::load_shared:
      load_shared<<<1, warp_size>>>(elements, static_cast<Element*>(out));
      break;
    case Access::store_shared:
      store_shared<Element><<<1, warp_size>>>(elements, static_cast<float*>(out));
      break;
    case Access::load_global:
      load_global<<<1, warp_size>>>(elements, static_cast<const Element*>(memory),
                                    static_cast<Element*>(out));
      break;
    case Access::store_global:
      store_global<<<1, warp_size>>>(elements, static_cast<Element*>(memory));
      break;
  }
  return cudaGetLastError();
}

}  // namespace

cudaError_t launch_access(Access access, int bytes, const int* elements, void* memory, void* out) {
  switch (bytes) {
    case 4:
      return launch<float>(access, elements, memory, out);
    case 8:
      return launch<float2>(access, elements, memory, out);
    case 16:
      return launch<float4>(access, elements, memory, out);
    default:
      return cudaErrorInvalidValue;
  }
}

}  // namespace tilewise::simt
