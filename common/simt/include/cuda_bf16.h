/// bfloat16 numbers, which are the upper halves of floats.
#pragma once

#include "tilewise/small_reals.hpp"

#define TILEWISE_T __nv_bfloat16
#define TILEWISE_T2 __nv_bfloat162
#define TILEWISE_FORMAT tilewise::simt::Bfloat16Format
#define TILEWISE_NAME(before, after) before##bfloat16##after
#include "tilewise/small_real.inc"
#undef TILEWISE_T
#undef TILEWISE_T2
#undef TILEWISE_FORMAT
#undef TILEWISE_NAME

inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return {x, x}; }
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)
