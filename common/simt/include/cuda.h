/// Kernel files include CUDA's driver interface out of habit. Nothing of it is here, so that code
/// which does use it fails to compile.
#pragma once

#include "cuda_runtime.h"
