/// NVRTC's interface, as the CUDA Toolkit declares it, where there is one. Behind it is the compiler that
/// checked programs are compiled by; functions without a counterpart say so, and return an error.
#pragma once

#ifndef TILEWISE_NVRTC
#error "nvrtc.h comes with the CUDA Toolkit: `lab check` takes it from there"
#else
#include TILEWISE_NVRTC
#endif
