#pragma once

#include <stddef.h>

#include <initializer_list>
#include <type_traits>

namespace tilewise::simt {

/// An element of a list, or 0 if the list is shorter.
template <class T>
constexpr T listed(std::initializer_list<T> list, size_t i) {
  return i < list.size() ? list.begin()[i] : T();
}

}  // namespace tilewise::simt

// CUDA's 58 vector types are made by a macro, because they differ only in element type, name and
// alignment. Sizes and alignments: CUDA C++ Programming Guide, "Built-in Vector Types".
//
// They are plain structures, as in CUDA. But g++ would store the elements of
// `out[i] = {a, b, c, d}` one by one, where nvcc stores a vector; so a list is first made into a
// whole vector, which is then assigned. For the same reason make_float4 is not constexpr (CUDA's is
// not, either): g++ would store a constant's elements one by one.
#define TILEWISE_VECTOR_OF_4(T, name, align)                                                \
  struct alignas(align) name {                                                              \
    T x, y, z, w;                                                                           \
    [[gnu::always_inline]] name& operator=(std::initializer_list<T> list) {                 \
      using tilewise::simt::listed;                                                         \
      const name whole{listed(list, 0), listed(list, 1), listed(list, 2), listed(list, 3)}; \
      return *this = whole;                                                                 \
    }                                                                                       \
  };                                                                                        \
  inline name make_##name(T x, T y, T z, T w) { return {x, y, z, w}; }

#define TILEWISE_VECTOR_TYPES(T, name, align2, align4)                          \
  struct name##1 {                                                              \
    T x;                                                                        \
  };                                                                            \
  struct alignas(align2) name##2 {                                              \
    T x, y;                                                                     \
    [[gnu::always_inline]] name##2 & operator=(std::initializer_list<T> list) { \
      using tilewise::simt::listed;                                             \
      const name##2 whole{listed(list, 0), listed(list, 1)};                    \
      return *this = whole;                                                     \
    }                                                                           \
  };                                                                            \
  struct name##3 {                                                              \
    T x, y, z;                                                                  \
  };                                                                            \
  inline name##1 make_##name##1(T x) { return {x}; }                            \
  inline name##2 make_##name##2(T x, T y) { return {x, y}; }                    \
  inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }            \
  TILEWISE_VECTOR_OF_4(T, name##4, align4)

TILEWISE_VECTOR_TYPES(signed char, char, 2, 4)
TILEWISE_VECTOR_TYPES(unsigned char, uchar, 2, 4)
TILEWISE_VECTOR_TYPES(short, short, 4, 8)
TILEWISE_VECTOR_TYPES(unsigned short, ushort, 4, 8)
TILEWISE_VECTOR_TYPES(int, int, 8, 16)
TILEWISE_VECTOR_TYPES(unsigned int, uint, 8, 16)
TILEWISE_VECTOR_TYPES(long, long, 16, 16)
TILEWISE_VECTOR_TYPES(unsigned long, ulong, 16, 16)
TILEWISE_VECTOR_TYPES(long long, longlong, 16, 16)
TILEWISE_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
TILEWISE_VECTOR_TYPES(float, float, 8, 16)
TILEWISE_VECTOR_TYPES(double, double, 16, 16)
#undef TILEWISE_VECTOR_TYPES

// Since CUDA 13 the types with four elements of 8 bytes have their alignment in their name.
#define TILEWISE_VECTORS_OF_32_BYTES(T, name) \
  TILEWISE_VECTOR_OF_4(T, name##_16a, 16)     \
  TILEWISE_VECTOR_OF_4(T, name##_32a, 32)

TILEWISE_VECTORS_OF_32_BYTES(long, long4)
TILEWISE_VECTORS_OF_32_BYTES(unsigned long, ulong4)
TILEWISE_VECTORS_OF_32_BYTES(long long, longlong4)
TILEWISE_VECTORS_OF_32_BYTES(unsigned long long, ulonglong4)
TILEWISE_VECTORS_OF_32_BYTES(double, double4)
#undef TILEWISE_VECTORS_OF_32_BYTES
#undef TILEWISE_VECTOR_OF_4

/// The extents of a grid or a block; those that are not given are 1.
struct dim3 {
  unsigned int x, y, z;

  constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 extents) : x(extents.x), y(extents.y), z(extents.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

// These variables are read through a fixed offset from the thread pointer: the library that defines
// them is loaded at program start, so the cheapest thread-local model is safe for every module.
#if defined(__ELF__)
#define TILEWISE_INITIAL_EXEC __attribute__((tls_model("initial-exec")))
#else
#define TILEWISE_INITIAL_EXEC
#endif

// They are __thread, not thread_local: no initialiser runs, so the compiler emits no wrapper call
// per read.
extern __thread uint3 threadIdx TILEWISE_INITIAL_EXEC;
extern __thread uint3 blockIdx TILEWISE_INITIAL_EXEC;
extern __thread uint3 blockDim TILEWISE_INITIAL_EXEC;
extern __thread uint3 gridDim TILEWISE_INITIAL_EXEC;

constexpr int warpSize = 32;
