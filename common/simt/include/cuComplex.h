/// Complex numbers: x is the real part, y the imaginary one.
#pragma once

#include "cuda_runtime.h"

using cuFloatComplex = float2;
using cuDoubleComplex = double2;
using cuComplex = cuFloatComplex;

#define TILEWISE_COMPLEX(Complex, Real, f, cu)                                       \
  inline Complex make_##Complex(Real x, Real y) { return {x, y}; }                   \
  inline Real cu##real##f(Complex a) { return a.x; }                                 \
  inline Real cu##imag##f(Complex a) { return a.y; }                                 \
  inline Complex cu##onj##f(Complex a) { return {a.x, -a.y}; }                       \
  inline Complex cu##add##f(Complex a, Complex b) { return {a.x + b.x, a.y + b.y}; } \
  inline Complex cu##sub##f(Complex a, Complex b) { return {a.x - b.x, a.y - b.y}; } \
  inline Complex cu##mul##f(Complex a, Complex b) {                                  \
    return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                           \
  }                                                                                  \
  /* Scaled, lest the squares overflow. */                                           \
  inline Complex cu##div##f(Complex a, Complex b) {                                  \
    const Real scale = 1 / (fabs(b.x) + fabs(b.y));                                  \
    a = {a.x * scale, a.y * scale}, b = {b.x * scale, b.y * scale};                  \
    const Real size = 1 / (b.x * b.x + b.y * b.y);                                   \
    return {(a.x * b.x + a.y * b.y) * size, (a.y * b.x - a.x * b.y) * size};         \
  }                                                                                  \
  inline Real cu##abs##f(Complex a) { return hypot(a.x, a.y); }                      \
  inline Complex cu##fma##f(Complex a, Complex b, Complex c) {                       \
    return cu##add##f(cu##mul##f(a, b), c);                                          \
  }
TILEWISE_COMPLEX(cuFloatComplex, float, f, cuC)
TILEWISE_COMPLEX(cuDoubleComplex, double, , cuC)
#undef TILEWISE_COMPLEX
inline cuComplex make_cuComplex(float x, float y) { return {x, y}; }
inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return {a.x, a.y}; }
inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return {static_cast<float>(a.x), static_cast<float>(a.y)};
}
