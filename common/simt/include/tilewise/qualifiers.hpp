#pragma once

// CUDA's declaration specifiers. Kernels are ordinary functions here: a launch calls one once for
// every thread. Absent are __shared__, because the rewriter replaces whole declarations;
// __noinline__, which it replaces too, because the standard library spells an attribute that way;
// and __restrict__, which the host's compilers know.
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

#define CUDART_VERSION 12000
