/// NVRTC's interface as the CUDA Toolkit declares it, if there is a toolkit. It is implemented by
/// the compiler that compiles checked programs; functions without a counterpart say so and return
/// an error.
#pragma once

#ifndef TILEWISE_NVRTC
#error "nvrtc.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else
#include TILEWISE_NVRTC
#endif
