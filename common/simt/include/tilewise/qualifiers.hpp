#pragma once

// Defined where the compiler makes every load and store report itself (common/simt/recorder): by
// the builder, which hides what compilers define for a sanitizer, or here.
#ifndef TILEWISE_CHECKED
#if defined(__SANITIZE_THREAD__)
#define TILEWISE_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TILEWISE_CHECKED 1
#endif
#endif
#endif

// CUDA's declaration specifiers. Kernels are ordinary functions here: a launch calls one once for
// every thread. Absent are __shared__, because the rewriter replaces whole declarations;
// __noinline__, which it replaces too, because the standard library spells an attribute that way;
// and __restrict__, which the host's compilers know.
//
// A kernel's address is listed in the section __patchable_function_entries, at the price of one
// instruction that does nothing: by that a loader knows kernels from all other functions. A
// debugger would take that instruction for the first statement.
#ifdef TILEWISE_DEBUG
#define TILEWISE_LISTED_KERNEL
#else
#define TILEWISE_LISTED_KERNEL __attribute__((patchable_function_entry(1, 0)))
#endif
#if defined(TILEWISE_CHECKED) && !defined(__clang__)
// The checked build. A structure that a function returns straight into memory is stored without
// being reported (g++ instruments assignments only); of a function that is inlined, the stores are.
#define __global__ __attribute__((flatten)) TILEWISE_LISTED_KERNEL
#else
#define __global__ TILEWISE_LISTED_KERNEL
#endif
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __launch_bounds__(...)
#define __grid_constant__

// Around declarations of double4 and its kin, in the toolkit's libraries.
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 13000
