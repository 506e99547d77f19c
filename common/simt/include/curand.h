#pragma once

// cuRAND's functions for hosts. Types and declarations come from the CUDA Toolkit, where `lab
// check` finds them (grading/check); tilewise/random_numbers.inc implements them.

#ifndef TILEWISE_CURAND
#error "curand.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else

#include <cuda_runtime.h>

#include "library_types.h"
#include TILEWISE_CURAND
#include "tilewise/random_numbers.inc"

#endif
