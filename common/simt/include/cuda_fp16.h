/// Half precision.
#pragma once

#include "tilewise/small_reals.hpp"

#define TILEWISE_T __half
#define TILEWISE_T2 __half2
#define TILEWISE_FORMAT tilewise::simt::HalfFormat
#define TILEWISE_NAME(before, after) before##half##after
#include "tilewise/small_real.inc"
#undef TILEWISE_T
#undef TILEWISE_T2
#undef TILEWISE_FORMAT
#undef TILEWISE_NAME

inline __half2 __half2half2(__half x) { return {x, x}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }

using half = __half;
using half2 = __half2;
using __nv_half = __half;
using __nv_half2 = __half2;
using nv_half = __half;
using nv_half2 = __half2;

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0x0000)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
