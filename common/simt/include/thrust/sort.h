#pragma once

// Is found before the CUDA Toolkit's header of this name. Programs rely on the headers that it
// includes if Thrust's system is `cuda`.

#include <thrust/sequence.h>
#include_next <thrust/sort.h>
