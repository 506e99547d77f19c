/// CUDA's driver interface, as the CUDA Toolkit declares it, where there is one: devices, contexts,
/// memory, streams and events work (program/driver.cpp), what loads code says that it cannot be
/// simulated. Kernel files include it out of habit, too; without a toolkit it is the run-time's alone.
#pragma once

#ifdef __cplusplus
#include "cuda_runtime.h"
#endif
#ifdef TILEWISE_DRIVER
#include TILEWISE_DRIVER
#endif
