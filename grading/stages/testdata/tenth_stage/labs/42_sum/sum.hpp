/// \file
/// Contract of the stage. Read-only: the grader compiles against this copy, not yours.
#pragma once

#include <cuda_runtime.h>

/// Adds up the elements of a vector.
///
/// \param[out] sum  one element, device memory; 0 where there is nothing to add up
/// \param[in]  x    (n), device memory
/// \param      n    elements; 0 allows a null pointer for x
///
/// \return `cudaSuccess`, or `cudaErrorInvalidValue`, with nothing launched or written, if n is
///         negative or a pointer is null that must not be; or what `cudaGetLastError()` reports.
cudaError_t sum(float* sum, const float* x, int n);
