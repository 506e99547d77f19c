#pragma once

#include <math.h>
#include <stdint.h>

#include <limits>
#include <type_traits>

// Conversions between numbers, each with its rounding: to nearest (even), to zero, down or up.

namespace tilewise::simt {

/// Converts a whole number to an integer as GPUs do, to the nearest value that there is. A NaN
/// becomes 0 if both types have 32 bits, otherwise the integer whose highest bit alone is set (PTX
/// ISA, "cvt").
template <class Int, class Real>
constexpr Int to_integer(Real whole) {
  constexpr Int lowest = std::numeric_limits<Int>::min();
  constexpr Int largest = std::numeric_limits<Int>::max();
  if (whole != whole) {
    return sizeof(Real) == 4 && sizeof(Int) <= 4
               ? Int{0}
               : static_cast<Int>(std::make_unsigned_t<Int>{1} << (8 * sizeof(Int) - 1));
  }
  // One more than the largest integer is a power of two, so no rounding distorts the comparison.
  if (whole >= static_cast<Real>(largest / 2 + 1) * 2) return largest;
  if (whole <= static_cast<Real>(lowest)) return lowest;
  return static_cast<Int>(whole);
}

/// Converts a number that Real may not be able to represent, rounding to one side.
template <class Real, class From>
inline Real down_to(From value) {
  constexpr Real least = -std::numeric_limits<Real>::infinity();
  const Real near = static_cast<Real>(value);
  return static_cast<From>(near) > value ? nextafter(near, least) : near;
}
template <class Real, class From>
inline Real up_to(From value) {
  return -down_to<Real>(-value);
}
template <class Real, class From>
inline Real cut_to(From value) {
  return value < 0 ? up_to<Real>(value) : down_to<Real>(value);
}

}  // namespace tilewise::simt

// A macro makes these functions, because their names are CUDA's. `f` is the suffix of the functions
// of <math.h> for the type.
#define TILEWISE_TO_INTEGER(Real, from, Int, to, f)                                                \
  inline Int __##from##2##to##_rn(Real x) { return tilewise::simt::to_integer<Int>(rint##f(x)); }  \
  inline Int __##from##2##to##_rz(Real x) { return tilewise::simt::to_integer<Int>(trunc##f(x)); } \
  inline Int __##from##2##to##_rd(Real x) { return tilewise::simt::to_integer<Int>(floor##f(x)); } \
  inline Int __##from##2##to##_ru(Real x) { return tilewise::simt::to_integer<Int>(ceil##f(x)); }
#define TILEWISE_TO_INTEGERS(Real, from, f)          \
  TILEWISE_TO_INTEGER(Real, from, int, int, f)       \
  TILEWISE_TO_INTEGER(Real, from, unsigned, uint, f) \
  TILEWISE_TO_INTEGER(Real, from, long long, ll, f)  \
  TILEWISE_TO_INTEGER(Real, from, unsigned long long, ull, f)
TILEWISE_TO_INTEGERS(float, float, f)
TILEWISE_TO_INTEGERS(double, double, )
#undef TILEWISE_TO_INTEGER
#undef TILEWISE_TO_INTEGERS

// `Exact` can represent all values that are converted.
#define TILEWISE_TO_REAL(From, from, Real, to, Exact)                                          \
  inline Real __##from##2##to##_rn(From x) { return static_cast<Real>(x); }                    \
  inline Real __##from##2##to##_rz(From x) { return tilewise::simt::cut_to<Real, Exact>(x); }  \
  inline Real __##from##2##to##_rd(From x) { return tilewise::simt::down_to<Real, Exact>(x); } \
  inline Real __##from##2##to##_ru(From x) { return tilewise::simt::up_to<Real, Exact>(x); }
TILEWISE_TO_REAL(int, int, float, float, double)
TILEWISE_TO_REAL(unsigned, uint, float, float, double)
TILEWISE_TO_REAL(long long, ll, float, float, long double)
TILEWISE_TO_REAL(unsigned long long, ull, float, float, long double)
TILEWISE_TO_REAL(long long, ll, double, double, long double)
TILEWISE_TO_REAL(unsigned long long, ull, double, double, long double)
TILEWISE_TO_REAL(double, double, float, float, double)
#undef TILEWISE_TO_REAL
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
