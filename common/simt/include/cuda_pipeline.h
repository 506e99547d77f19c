/// Asynchronous copies into shared memory, in the CUDA Toolkit's older interface than
/// <cuda/pipeline>.
#pragma once

#include "cuda_pipeline_primitives.h"
