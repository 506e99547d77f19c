/// CUDA's own declares the host's half of cuda_runtime.h; here there is one header for both.
#pragma once

#include "cuda_runtime.h"
