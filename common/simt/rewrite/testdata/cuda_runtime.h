// The least that rewritten code needs to compile and run: each kernel runs once, on one thread.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <cstring>

#define __global__
#define __device__
#define __align__(bytes) __attribute__((aligned(bytes)))

using cudaStream_t = void*;

struct dim3 {
  dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1)
      : x(x_size), y(y_size), z(z_size) {}
  unsigned x, y, z;
};

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };

inline void cudaMalloc(void** pointer, std::size_t bytes) { *pointer = std::malloc(bytes); }
inline void cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
}

namespace tilewise::simt {

template <class Kernel>
struct Launch {
  Launch configure(dim3, dim3 = 1, std::size_t = 0, cudaStream_t = nullptr) { return *this; }

  template <class... Arguments>
  void operator()(const Arguments&... arguments) {
    kernel(arguments...);
  }

  Kernel kernel;
};

template <class Kernel>
Launch<Kernel> launcher(const char*, const char*, int, Kernel kernel) {
  return {kernel};
}

#define TILEWISE_LAUNCHER(name, captures, ...)                                             \
  ::tilewise::simt::launcher(name, __FILE__, __LINE__, [captures](auto&&... tilewise_args) { \
    __VA_ARGS__(static_cast<decltype(tilewise_args)&&>(tilewise_args)...);                 \
  })
#define TILEWISE_LAUNCHER_OF_MACRO(...) TILEWISE_LAUNCHER(#__VA_ARGS__, &, __VA_ARGS__)
#define TILEWISE_TEXT(name) #name

template <class T>
T& shared() {
  static T memory;
  return memory;
}

template <class T>
T& shared_at_file_scope() {
  return shared<T>();
}

template <class T>
void name_shared(T&, const char*) {}

template <class T>
T& named_shared(T& array, const char*) {
  return array;
}

alignas(128) inline unsigned char dynamic_memory[1024];

template <class T, unsigned = 0>
T (&dynamic_shared(const char*))[] {
  return *reinterpret_cast<T(*)[]>(dynamic_memory);
}

}  // namespace tilewise::simt
