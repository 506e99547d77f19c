/// What CUDA's driver shares with EGL, as the CUDA Toolkit declares it, where there is one: each
/// function says that it cannot be simulated.
#pragma once

#include "cuda.h"

#ifndef TILEWISE_EGL
#error "cudaEGL.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else
#include TILEWISE_EGL
#endif
