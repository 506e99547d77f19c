#pragma once

#include "checked_build.hpp"

// CUDA's declaration specifiers. Kernels are ordinary functions here: a launch calls one once for
// every thread. Absent are __shared__, because the rewriter replaces whole declarations;
// __noinline__, which it replaces too, because the standard library spells an attribute that way;
// and __restrict__, which the host's compilers know.
#if defined(TILEWISE_CHECKED) && !defined(__clang__)
// The checked build. A structure that a function returns straight into memory is stored without
// being reported (g++ instruments assignments only); of a function that is inlined, the stores are.
#define __global__ __attribute__((flatten))
#else
#define __global__
#endif
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

#define CUDART_VERSION 12000
