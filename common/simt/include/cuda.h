/// CUDA's driver interface as the CUDA Toolkit declares it, if there is a toolkit. Devices,
/// contexts, memory, streams and events work (program/driver.cpp); functions that load code report
/// that they cannot be simulated. Kernel files include this header out of habit, too; without a
/// toolkit it has only the run-time's declarations.
#pragma once

#ifdef __cplusplus
#include "cuda_runtime.h"
#endif
#ifdef TILEWISE_DRIVER
#include TILEWISE_DRIVER
#endif
