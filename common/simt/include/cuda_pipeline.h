/// Asynchronous copies into shared memory, as the CUDA Toolkit has them before <cuda/pipeline>.
#pragma once

#include "cuda_pipeline_primitives.h"
