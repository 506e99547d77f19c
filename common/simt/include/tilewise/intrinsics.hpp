#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "atomics.hpp"
#include "conversions.hpp"
#include "integer_intrinsics.hpp"

namespace tilewise::simt {

template <class To, class From>
To reinterpret_bits(From value) {
  return __builtin_bit_cast(To, value);
}

enum class Rounding { down, up, to_zero };
enum class Arithmetic { add, multiply, divide, multiply_and_add, root };

/// Computes with a rounding other than to nearest. Each operation takes as many of the numbers as
/// it needs.
float rounded(Rounding rounding, Arithmetic arithmetic, float x, float y, float z);
double rounded(Rounding rounding, Arithmetic arithmetic, double x, double y, double z);

}  // namespace tilewise::simt

// Loads and stores that differ from plain ones in caching only.
template <class T>
T __ldg(const T* address) {
  return *address;
}
template <class T>
T __ldca(const T* address) {
  return *address;
}
template <class T>
T __ldcg(const T* address) {
  return *address;
}
template <class T>
T __ldcs(const T* address) {
  return *address;
}
template <class T>
T __ldlu(const T* address) {
  return *address;
}
template <class T>
T __ldcv(const T* address) {
  return *address;
}
template <class T>
void __stwb(T* address, T value) {
  *address = value;
}
template <class T>
void __stwt(T* address, T value) {
  *address = value;
}
template <class T>
void __stcg(T* address, T value) {
  *address = value;
}
template <class T>
void __stcs(T* address, T value) {
  *address = value;
}

// Arithmetic rounded to nearest, never contracted into something else.
#ifdef __clang__
#define TILEWISE_ROUNDED(value) \
  { _Pragma("clang fp contract(off)") return value; }
#else
#define TILEWISE_ROUNDED(value) \
  { return __builtin_assoc_barrier(value); }
#endif
inline float __fadd_rn(float x, float y)
    TILEWISE_ROUNDED(x + y) inline float __fsub_rn(float x, float y)
        TILEWISE_ROUNDED(x - y) inline float __fmul_rn(float x, float y)
            TILEWISE_ROUNDED(x* y) inline double __dadd_rn(double x, double y)
                TILEWISE_ROUNDED(x + y) inline double __dsub_rn(double x, double y)
                    TILEWISE_ROUNDED(x - y) inline double __dmul_rn(double x, double y)
                        TILEWISE_ROUNDED(x* y)
#undef TILEWISE_ROUNDED
                            inline float __fmaf_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline double __ddiv_rn(double x, double y) { return x / y; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return sqrt(x); }

// Arithmetic rounded down, up and to zero.
// clang-format off
#define TILEWISE_DIRECTED(suffix, rounding, Real, f, fma)                                          \
  inline Real __##f##add_##suffix(Real x, Real y) TILEWISE_ROUNDED_BY(rounding, add, x, y, Real(0))    \
  inline Real __##f##sub_##suffix(Real x, Real y) TILEWISE_ROUNDED_BY(rounding, add, x, -y, Real(0))   \
  inline Real __##f##mul_##suffix(Real x, Real y) TILEWISE_ROUNDED_BY(rounding, multiply, x, y, Real(0)) \
  inline Real __##f##div_##suffix(Real x, Real y) TILEWISE_ROUNDED_BY(rounding, divide, x, y, Real(0)) \
  inline Real __##f##rcp_##suffix(Real x) TILEWISE_ROUNDED_BY(rounding, divide, Real(1), x, Real(0))   \
  inline Real __##f##sqrt_##suffix(Real x) TILEWISE_ROUNDED_BY(rounding, root, x, Real(0), Real(0))    \
  inline Real __##fma##_##suffix(Real x, Real y, Real z)                                           \
      TILEWISE_ROUNDED_BY(rounding, multiply_and_add, x, y, z)
#define TILEWISE_ROUNDED_BY(rounding, arithmetic, x, y, z)               \
  { return tilewise::simt::rounded(tilewise::simt::Rounding::rounding,   \
                                   tilewise::simt::Arithmetic::arithmetic, x, y, z); }
TILEWISE_DIRECTED(rd, down, float, f, fmaf)
TILEWISE_DIRECTED(ru, up, float, f, fmaf)
TILEWISE_DIRECTED(rz, to_zero, float, f, fmaf)
TILEWISE_DIRECTED(rd, down, double, d, fma)
TILEWISE_DIRECTED(ru, up, double, d, fma)
TILEWISE_DIRECTED(rz, to_zero, double, d, fma)
#undef TILEWISE_DIRECTED
#undef TILEWISE_ROUNDED_BY
// clang-format on

// CUDA's fast, less exact forms; here they are as exact as their namesakes.
inline float __fdividef(float x, float y) { return x / y; }
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float fdividef(float x, float y) { return x / y; }
inline double fdivide(double x, double y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f; }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
// This is a template, because host code that nvcc does not compile may define its own rsqrtf.
template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
float rsqrtf(T x) {
  return 1.0f / sqrtf(static_cast<float>(x));
}
inline double rsqrt(double x) { return 1.0 / sqrt(x); }

// CUDA's functions that the C library lacks (runtime/mathematics.cpp).
namespace tilewise::simt {
double inverse_erf(double x);
double inverse_erfc(double x);
double scaled_erfc(double x);
double normal_distribution(double x);
double inverse_normal_distribution(double p);
double sine_of_pi_times(double x);
double cosine_of_pi_times(double x);
double bessel_i(int order, double x);
double length_of(int dimensions, const double* x);
double length_of(int dimensions, const float* x);
}  // namespace tilewise::simt

// clang-format off
#define TILEWISE_OF_ONE(name, value)                         \
  inline double name(double x) { return tilewise::simt::value; } \
  inline float name##f(float x) { return static_cast<float>(tilewise::simt::value); }
TILEWISE_OF_ONE(erfinv, inverse_erf(x))
TILEWISE_OF_ONE(erfcinv, inverse_erfc(x))
TILEWISE_OF_ONE(erfcx, scaled_erfc(x))
TILEWISE_OF_ONE(normcdf, normal_distribution(x))
TILEWISE_OF_ONE(normcdfinv, inverse_normal_distribution(x))
TILEWISE_OF_ONE(sinpi, sine_of_pi_times(x))
TILEWISE_OF_ONE(cospi, cosine_of_pi_times(x))
TILEWISE_OF_ONE(cyl_bessel_i0, bessel_i(0, x))
TILEWISE_OF_ONE(cyl_bessel_i1, bessel_i(1, x))
#undef TILEWISE_OF_ONE
// clang-format on
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
inline double rcbrt(double x) { return 1 / cbrt(x); }
inline float rcbrtf(float x) { return static_cast<float>(1 / cbrt(static_cast<double>(x))); }
inline double rhypot(double x, double y) { return 1 / hypot(x, y); }
inline float rhypotf(float x, float y) {
  return static_cast<float>(1 / hypot(static_cast<double>(x), static_cast<double>(y)));
}
#define TILEWISE_LENGTHS(Real, f)                                                   \
  inline Real norm##f(int dimensions, const Real* x) {                              \
    return static_cast<Real>(tilewise::simt::length_of(dimensions, x));             \
  }                                                                                 \
  inline Real rnorm##f(int dimensions, const Real* x) {                             \
    return static_cast<Real>(1 / tilewise::simt::length_of(dimensions, x));         \
  }                                                                                 \
  inline Real norm3d##f(Real a, Real b, Real c) {                                   \
    const Real x[] = {a, b, c};                                                     \
    return norm##f(3, x);                                                           \
  }                                                                                 \
  inline Real norm4d##f(Real a, Real b, Real c, Real d) {                           \
    const Real x[] = {a, b, c, d};                                                  \
    return norm##f(4, x);                                                           \
  }                                                                                 \
  inline Real rnorm3d##f(Real a, Real b, Real c) { return 1 / norm3d##f(a, b, c); } \
  inline Real rnorm4d##f(Real a, Real b, Real c, Real d) { return 1 / norm4d##f(a, b, c, d); }
TILEWISE_LENGTHS(double, )
TILEWISE_LENGTHS(float, f)
#undef TILEWISE_LENGTHS

inline int __float_as_int(float x) { return tilewise::simt::reinterpret_bits<int>(x); }
inline float __int_as_float(int x) { return tilewise::simt::reinterpret_bits<float>(x); }
inline unsigned __float_as_uint(float x) { return tilewise::simt::reinterpret_bits<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return tilewise::simt::reinterpret_bits<float>(x); }
inline long long __double_as_longlong(double x) {
  return tilewise::simt::reinterpret_bits<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return tilewise::simt::reinterpret_bits<double>(x);
}

inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1u) << (31 - bit);
  return reversed;
}
inline int __mul24(int x, int y) {  // product of the low 24 bits, sign-extended
  return static_cast<int>(static_cast<unsigned>(x << 8 >> 8) * static_cast<unsigned>(y << 8 >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffffu) * (y & 0xffffffu); }
inline int __mulhi(int x, int y) { return static_cast<int>(static_cast<int64_t>(x) * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}

// CUDA has min and max of two numbers in the global namespace.
template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}

template <class A, class B,
          class = std::enable_if_t<std::is_arithmetic_v<A> && std::is_arithmetic_v<B>>>
constexpr std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

// Every address is generic here, so an address in shared memory, which has 32 bits on a GPU, has
// 64.
#define TILEWISE_ADDRESS_SPACE(space)                                                            \
  inline size_t __cvta_generic_to_##space(const void* p) { return reinterpret_cast<size_t>(p); } \
  inline void* __cvta_##space##_to_generic(size_t p) { return reinterpret_cast<void*>(p); }

TILEWISE_ADDRESS_SPACE(shared)
TILEWISE_ADDRESS_SPACE(global)
TILEWISE_ADDRESS_SPACE(local)
TILEWISE_ADDRESS_SPACE(constant)
TILEWISE_ADDRESS_SPACE(grid_constant)
#undef TILEWISE_ADDRESS_SPACE

/// Ends the launch with an error.
[[noreturn]] inline void __trap() { __builtin_trap(); }
#ifndef __clang__
#define __builtin_assume(condition) ((condition) ? void() : __builtin_unreachable())
#endif

/// The host's monotonic clock in nanoseconds; it says nothing about a GPU's cycles.
long long clock64();
inline void __nanosleep(unsigned) { tilewise::simt::follow(tilewise::simt::let_others_run()); }
inline void __brkpt() {}
inline void __prof_trigger(int) {}
