/// NVRTC's interface, as the CUDA Toolkit declares it, where there is one. There is no compiler for GPUs
/// behind it: each function says so, and returns an error.
#pragma once

#ifndef TILEWISE_NVRTC
#error "nvrtc.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else
#include TILEWISE_NVRTC
#endif
