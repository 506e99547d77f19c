#pragma once

// TILEWISE_CHECKED means that the compiler makes every load and store report itself
// (common/simt/recorder). The builder defines it, because it hides what compilers define for a
// sanitizer; otherwise it is defined here.
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
// every thread. Three are not defined here: __shared__, because the rewriter replaces whole
// declarations; __noinline__, which the rewriter replaces, too, because the standard library spells
// an attribute that way; and __restrict__, which the host's compilers know.
//
// A kernel's address is listed in the section __patchable_function_entries, by which a loader
// distinguishes kernels from all other functions. This costs one instruction that does nothing. A
// debugger would take that instruction for the first statement.
#ifdef TILEWISE_DEBUG
#define TILEWISE_LISTED_KERNEL
#else
#define TILEWISE_LISTED_KERNEL __attribute__((patchable_function_entry(1, 0)))
#endif
#if defined(TILEWISE_CHECKED) && !defined(__clang__)
// In the checked build, a structure that a function returns straight into memory is stored without
// a report, because g++ instruments assignments only. If the function is inlined, its stores are
// reported.
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

// The toolkit's libraries put these around declarations of double4 and similar types.
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END

#define CUDART_CB
#define CUDARTAPI
#define CUDART_VERSION 13000
