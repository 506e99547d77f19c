/// Calls of a profiler, of which there is none here.
#pragma once

#include "cuda_runtime.h"
