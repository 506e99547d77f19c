#pragma once

// Stands before the CUDA Toolkit's header of this name: programs rely on what comes with it where
// Thrust's system is `cuda`.

#include <thrust/sequence.h>
#include_next <thrust/sort.h>
