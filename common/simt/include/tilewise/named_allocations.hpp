#pragma once

#include <stddef.h>

#include <type_traits>

#include "host_api.hpp"

// Lets messages name device memory as the program does: `d_A[37]` for memory that `cudaMalloc(&d_A,
// bytes)` allocated. These are macros, because only a macro has the words of its argument. They
// pass a call on to an overload that takes the words, so that `::cudaMalloc(...)`, and a CHECK(...)
// around it that may quote it, stay as they are.

/// Describes memory by the words of the call that allocated it, `&d_A, n * sizeof(float)`.
/// @param element_bytes  0 if only `void*` is known
/// @param row_bytes  for pitched memory; otherwise 0
extern "C" void tilewise_name_allocation(const void* memory, size_t bytes, size_t element_bytes,
                                         size_t row_bytes, const char* words, const char* file,
                                         int line);

namespace tilewise::simt {

/// The words of a call, and its place.
struct AllocationWords {
  const char* words;
  const char* file;
  int line;

  template <class T>
  void name(T* memory, size_t bytes, size_t row_bytes = 0) const {
    size_t element_bytes = 0;
    if constexpr (!std::is_void_v<T>) element_bytes = sizeof(T);
    tilewise_name_allocation(memory, bytes, element_bytes, row_bytes, words, file, line);
  }
};

}  // namespace tilewise::simt

#define TILEWISE_NAMED_ALLOCATION(function)                                                       \
  template <class T, class... Rest>                                                               \
  cudaError_t function(const ::tilewise::simt::AllocationWords& words, T** pointer, size_t bytes, \
                       Rest... rest) {                                                            \
    const cudaError_t error = function(pointer, bytes, rest...);                                  \
    if (error == cudaSuccess) words.name(*pointer, bytes);                                        \
    return error;                                                                                 \
  }
TILEWISE_NAMED_ALLOCATION(cudaMalloc)
TILEWISE_NAMED_ALLOCATION(cudaMallocManaged)
TILEWISE_NAMED_ALLOCATION(cudaMallocAsync)
TILEWISE_NAMED_ALLOCATION(cudaMallocFromPoolAsync)
#undef TILEWISE_NAMED_ALLOCATION

template <class T>
cudaError_t cudaMallocPitch(const ::tilewise::simt::AllocationWords& words, T** pointer,
                            size_t* pitch, size_t width_bytes, size_t height) {
  const cudaError_t error = cudaMallocPitch(pointer, pitch, width_bytes, height);
  if (error == cudaSuccess) words.name(*pointer, *pitch * height, *pitch);
  return error;
}

#define TILEWISE_WORDS(...) \
  ::tilewise::simt::AllocationWords { #__VA_ARGS__, __FILE__, __LINE__ }
#define cudaMalloc(...) cudaMalloc(TILEWISE_WORDS(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocManaged(...) cudaMallocManaged(TILEWISE_WORDS(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocAsync(...) cudaMallocAsync(TILEWISE_WORDS(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocFromPoolAsync(...) \
  cudaMallocFromPoolAsync(TILEWISE_WORDS(__VA_ARGS__), __VA_ARGS__)
#define cudaMallocPitch(...) cudaMallocPitch(TILEWISE_WORDS(__VA_ARGS__), __VA_ARGS__)
