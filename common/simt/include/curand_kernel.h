#pragma once

// cuRAND's functions for kernels are C++ code of the CUDA Toolkit. `lab check` says where they are
// (grading/check). Where there is one version for devices and one for hosts, kernels take the
// device's version here, too, except for PTX.

#ifndef TILEWISE_CURAND_KERNEL
#error "curand_kernel.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else

#include <cuda_runtime.h>

#include <nv/target>

#include "library_types.h"
#include "tilewise/device_variables.hpp"

#define TILEWISE_EITHER_NV_IS_DEVICE(there, here) there
#define TILEWISE_EITHER_NV_IS_HOST(there, here) here
#define TILEWISE_EITHER_NV_PROVIDES_SM_35(there, here) there
#define TILEWISE_IF_NV_IS_DEVICE(...) \
  { __VA_ARGS__ }
#define TILEWISE_IF_NV_PROVIDES_SM_61(...)

#pragma push_macro("NV_IF_ELSE_TARGET")
#pragma push_macro("NV_IF_TARGET")
#pragma push_macro("__CUDA_ARCH__")
#undef NV_IF_ELSE_TARGET
#undef NV_IF_TARGET
#undef __CUDA_ARCH__
#define NV_IF_ELSE_TARGET(target, there, here) TILEWISE_EITHER_##target(there, here)
#define NV_IF_TARGET(target, ...) TILEWISE_IF_##target(__VA_ARGS__)
#define __CUDA_ARCH__ 900  // otherwise threadIdx and blockDim are declared anew
#include TILEWISE_CURAND_KERNEL
#pragma pop_macro("__CUDA_ARCH__")
#pragma pop_macro("NV_IF_TARGET")
#pragma pop_macro("NV_IF_ELSE_TARGET")

// The rewriter, which reports variables to the checked build, does not see headers of the toolkit.
namespace tilewise::simt::of_curand {
TILEWISE_VARIABLES(
    "device precalc_xorwow_matrix;device precalc_xorwow_offset_matrix;device mrg32k3aM1;"
    "device mrg32k3aM2;device mrg32k3aM1SubSeq;device mrg32k3aM2SubSeq;device mrg32k3aM1Seq;"
    "device mrg32k3aM2Seq;constant __cr_lgamma_table")
}  // namespace tilewise::simt::of_curand

#undef TILEWISE_EITHER_NV_IS_DEVICE
#undef TILEWISE_EITHER_NV_IS_HOST
#undef TILEWISE_EITHER_NV_PROVIDES_SM_35
#undef TILEWISE_IF_NV_IS_DEVICE
#undef TILEWISE_IF_NV_PROVIDES_SM_61

#endif
