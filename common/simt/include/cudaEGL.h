/// The interface of CUDA's driver to EGL as the CUDA Toolkit declares it, if there is a toolkit:
/// each function reports that it cannot be simulated.
#pragma once

#include "cuda.h"

#ifndef TILEWISE_EGL
#error "cudaEGL.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else
#include TILEWISE_EGL
#endif
