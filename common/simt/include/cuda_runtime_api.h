/// CUDA's own header declares the host's half of cuda_runtime.h; here one header serves both.
#pragma once

#include "cuda_runtime.h"
