/// Functions that control a profiler; there is none here.
#pragma once

#include "cuda_runtime.h"
