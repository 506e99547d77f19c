#pragma once

// cuRAND's functions for hosts. Types and declarations are the CUDA Toolkit's, where `lab check` says
// that they are (grading/check); what they do stands in tilewise/random_numbers.inc.

#ifndef TILEWISE_CURAND
#error "curand.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else

#include <cuda_runtime.h>

#include "library_types.h"
#include TILEWISE_CURAND
#include "tilewise/random_numbers.inc"

#endif
