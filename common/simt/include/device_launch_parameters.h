/// Some editors' templates include this beside cuda_runtime.h; CUDA's own declares the built-in
/// variables.
#pragma once

#include "cuda_runtime.h"
