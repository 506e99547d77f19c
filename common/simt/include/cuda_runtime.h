/// The CUDA run-time API as the simulator offers it: a kernel file that includes <cuda_runtime.h>
/// compiles unchanged. Names, values and meanings are CUDA's; what is missing is a compile error,
/// never a silent difference.
#pragma once

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tilewise/atomics.hpp"
#include "tilewise/barriers.hpp"
#include "tilewise/device_variables.hpp"
#include "tilewise/errors.hpp"
#include "tilewise/external_memory.hpp"
#include "tilewise/graphs.hpp"
#include "tilewise/host_api.hpp"
#include "tilewise/intrinsics.hpp"
#include "tilewise/launch.hpp"
#include "tilewise/launch_by_structure.hpp"
#include "tilewise/loop_exit.hpp"
#include "tilewise/private_variables.hpp"
#include "tilewise/ptx_instructions.hpp"
#include "tilewise/qualifiers.hpp"
#include "tilewise/shared_memory.hpp"
#include "tilewise/textures.hpp"
#include "tilewise/vector_types.hpp"
#include "tilewise/warp.hpp"

// Other libraries' headers check these to see which of CUDA's headers are included.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#ifdef TILEWISE_NAMES_ALLOCATIONS
#include "tilewise/named_allocations.hpp"
#endif

#ifdef TILEWISE_CHECKED
// Compilers expand these in place, after loads and stores have been made to report themselves;
// calls, however, report what they copy.
#define __builtin_memcpy memcpy
#define __builtin_memmove memmove
#define __builtin_memset memset
#define __builtin_mempcpy mempcpy
#endif
